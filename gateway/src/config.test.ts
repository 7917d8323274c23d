import { relative } from 'node:path';
import { ecKey, toPem } from '@agent-fleet/access/testing/forge';
import { describe, expect, test } from '@jest/globals';
import { writeOwnFile } from '../test/support/own-file.ts';
import { createWebRoot, FILES } from '../test/support/web-root.ts';
import { readGatewayConfig } from './config.ts';

const SECRET = 'a secret of at least thirty-two bytes';
const INTERNAL_TOKEN = 'internal-token-0123456789';

test('runs with a secret for tokens alone in development', () => {
  expect(readGatewayConfig({ JWT_SECRET: SECRET })).toMatchObject({
    port: 8080,
    upstreams: {
      identity: 'http://127.0.0.1:8083',
      agents: 'http://127.0.0.1:8081',
      registry: 'http://127.0.0.1:8082',
    },
    upstreamTimeoutMs: 60_000,
    signingKey: { algorithm: 'HS256' },
    tokens: { issuer: 'agent-fleet', audience: 'agent-fleet', ttlSeconds: 1800 },
    environmentKeys: { list: [] },
    oidc: { issuers: [], allowInsecure: false },
    corsOrigins: [],
    maxBodyBytes: 1_572_864,
    maxConnectionsPerAddress: 1_000,
  });
});

test('requires its secrets in production', () => {
  expect(() => readGatewayConfig({ NODE_ENV: 'production' })).toThrow(
    /^JWT_SECRET: is required in production.*\nINTERNAL_TOKEN: is required in production/,
  );
  expect(() => readGatewayConfig({ NODE_ENV: 'production', JWT_SECRET: SECRET })).toThrow(
    /^INTERNAL_TOKEN: is required/,
  );
  const JWT_PRIVATE_KEY_FILE = writeOwnFile('jwt.pem', toPem(ecKey()));
  expect(readGatewayConfig({ NODE_ENV: 'production', JWT_PRIVATE_KEY_FILE, INTERNAL_TOKEN })).toMatchObject({
    signingKey: { algorithm: 'ES256' },
  });
});

test('requires a key for tokens in development too', () => {
  expect(() => readGatewayConfig({})).toThrow(/^JWT_SECRET: is required, or JWT_PRIVATE_KEY_FILE/);
});

test('refuses weak secrets in production, each with its rule, and accepts them in development', () => {
  const env = {
    JWT_SECRET: 'ab'.repeat(16),
    JWT_VERIFICATION_SECRET: 'a'.repeat(32),
    INTERNAL_TOKEN: 'short',
    API_KEYS: `ci:short,other:${'ab'.repeat(10)},good:key-of-the-ci-0123456789`,
  };
  const example = (name: string) => `(example: ${name}=$(openssl rand -hex 32))`;
  const line = (name: string, rule: string) => `${name}: is too weak for production: ${rule} ${example(name)}`;
  let message = '';
  try {
    readGatewayConfig({ NODE_ENV: 'production', ...env });
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message.split('\n')).toEqual([
    line('JWT_SECRET', 'must have at least 6 different characters'),
    line('JWT_VERIFICATION_SECRET', 'must have at least 6 different characters'),
    line('INTERNAL_TOKEN', 'must have at least 16 characters'),
    line('API_KEYS', 'key ci must have at least 16 characters'),
    line('API_KEYS', 'key other must have at least 6 different characters'),
  ]);
  expect(readGatewayConfig(env).environmentKeys.list).toHaveLength(3);
});

test('reports every invalid variable in its own line, without values', () => {
  const env = {
    JWT_SECRET: 'too short',
    AGENTS_URL: 'ftp://user:hunter2@host/path',
    API_KEYS: 'ci:hunter2,ci:other',
    IDENTITY_URL: 'http://identity/path',
    OIDC_ALLOW_INSECURE: 'yes',
    ACCESS_TOKEN_TTL_SECONDS: '0',
    UPSTREAM_TIMEOUT_SECONDS: '34',
    CORS_ORIGINS: 'app.example',
    MAX_BODY_BYTES: '1023',
    MAX_CONNECTIONS_PER_ADDRESS: '-1',
  };
  let message = '';
  try {
    readGatewayConfig(env);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(
    message
      .split('\n')
      .map((line) => line.slice(0, line.indexOf(':')))
      .sort(),
  ).toEqual(Object.keys(env).sort());
  expect(message).not.toMatch(/hunter2|too short/);
});

test('reads external issuers from a file, and reports what is wrong with it in one line', () => {
  const read = (OIDC_ISSUERS_FILE: string) => () => readGatewayConfig({ JWT_SECRET: SECRET, OIDC_ISSUERS_FILE });
  const issuer = {
    name: 'corp',
    issuer: 'https://login.example',
    audience: 'fleet',
    algorithms: ['RS256'],
    role_claim: 'roles',
    roles: { staff: 'viewer' },
  };
  expect(read(writeOwnFile('oidc.json', JSON.stringify([issuer])))().oidc).toMatchObject({
    issuers: [{ name: 'corp' }],
    allowInsecure: false,
  });
  expect(read('/nowhere.json')).toThrow(/^OIDC_ISSUERS_FILE: names a file that cannot be read \(ENOENT\)$/);
  for (const text of ['', '{', '[{}]', JSON.stringify([{ ...issuer, roles: { staff: 'root' } }])]) {
    expect(read(writeOwnFile('oidc.json', text))).toThrow(/^OIDC_ISSUERS_FILE: [^\n]+$/);
  }
});

describe('tracing', () => {
  const read = (env: Record<string, string>) => readGatewayConfig({ JWT_SECRET: SECRET, ...env }).tracing;
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';

  test('is off without a collector', () => {
    expect(read({ OTEL_SERVICE_NAME: 'other', OTEL_TRACES_SAMPLER_ARG: '1' })).toBeUndefined();
  });

  test('sends spans to a path below the URL of the collector, or to the URL for traces', () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT })).toEqual({
      url: 'http://collector:4318/v1/traces',
      headers: {},
      resource: { 'service.name': 'agent-fleet-gateway' },
      sampleRatio: 1,
      timeoutMs: 10_000,
    });
    const below = read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host/otlp/' });
    expect(below?.url).toBe('https://host/otlp/v1/traces');
    const exact = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://host/here' };
    expect(read(exact)?.url).toBe('https://host/here');
  });

  test('reads names, attributes and headers in the format of OpenTelemetry', () => {
    const tracing = read({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_SERVICE_NAME: 'front',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other, deployment.environment=a%2Cb ,',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20YQ==,x-tenant=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=2',
      OTEL_TRACES_SAMPLER_ARG: '.25',
    });
    expect(tracing).toMatchObject({
      resource: { 'service.name': 'front', 'deployment.environment': 'a,b' },
      headers: { Authorization: 'Basic YQ==', 'x-tenant': '2' },
      sampleRatio: 0.25,
    });
  });

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'here'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=hunter2%0a'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=hunter2'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a=%hunter2'],
    ['OTEL_RESOURCE_ATTRIBUTES', '=hunter2'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '0'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.01'],
    ['OTEL_TRACES_SAMPLER_ARG', '-1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name}: must be (?!.*hunter2)[^\\n]+$`));
  });
});

describe('WEB_ROOT', () => {
  test('is the absolute path of a folder with built pages; without it there is none', () => {
    const root = createWebRoot();
    expect(readGatewayConfig({ JWT_SECRET: SECRET, WEB_ROOT: relative(process.cwd(), root) }).webRoot).toBe(root);
    for (const WEB_ROOT of [undefined, '']) {
      expect(readGatewayConfig({ JWT_SECRET: SECRET, WEB_ROOT }).webRoot).toBeUndefined();
    }
  });

  test.each([
    ['a folder that is missing', () => '/nowhere', 'with catalogue.html and console.html'],
    ['a file', () => writeOwnFile('x', ''), 'with catalogue.html and console.html'],
    ['a folder without a console', () => createWebRoot({ 'catalogue.html': '' }), 'with console.html'],
    ['a huge folder', () => createWebRoot({ ...FILES, 'assets/x.js': 'x'.repeat(17 * 1024 ** 2) }), 'at most 16 MiB'],
  ])('is refused with one line: %s', (_what, toRoot, message) => {
    expect(() => readGatewayConfig({ JWT_SECRET: SECRET, WEB_ROOT: toRoot() })).toThrow(
      new RegExp(`^WEB_ROOT: must be .*${message}.* \\(example: WEB_ROOT=/app/web\\)$`),
    );
  });
});
