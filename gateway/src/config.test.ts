import { describe, expect, test } from '@jest/globals';
import { ecKey, rsaKey, toPem, toPublicPem } from '../test/support/forge.ts';
import { writeOwnFile } from '../test/support/own-file.ts';
import { readGatewayConfig } from './config.ts';

const SECRET = 'a secret of at least thirty-two bytes';
test('runs without any variable in development', () => {
  expect(readGatewayConfig({})).toMatchObject({
    port: 8080,
    upstreams: { agents: 'http://127.0.0.1:8081', registry: 'http://127.0.0.1:8082' },
    upstreamTimeoutMs: 60_000,
    signingKey: { algorithm: 'HS256' },
    temporarySecret: expect.any(String),
    tokens: { issuer: 'agent-fleet', audience: 'agent-fleet', ttlSeconds: 1800 },
    firstUser: undefined,
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
});

test('reports every invalid variable in its own line, without values', () => {
  const env = {
    JWT_SECRET: 'too short',
    AGENTS_URL: 'ftp://user:hunter2@host/path',
    API_KEYS: 'ci:hunter2,ci:other',
    ADMIN_EMAIL: 'nobody',
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

test('counts the bytes of JWT_SECRET, not its characters', () => {
  expect(() => readGatewayConfig({ JWT_SECRET: 'x'.repeat(31) })).toThrow('at least 32 bytes');
  const { signingKey, temporarySecret } = readGatewayConfig({ JWT_SECRET: 'é'.repeat(16) });
  expect([signingKey.algorithm, temporarySecret]).toEqual(['HS256', undefined]);
});

test('accepts the file of an RSA or a P-256 key, which overrides JWT_SECRET', () => {
  const read = (pem: string) =>
    readGatewayConfig({ JWT_SECRET: SECRET, JWT_PRIVATE_KEY_FILE: writeOwnFile('jwt.pem', pem) }).signingKey.algorithm;
  expect([read(toPem(rsaKey())), read(toPem(ecKey()))]).toEqual(['RS256', 'ES256']);
});

test.each(['JWT_PRIVATE_KEY_FILE', 'JWT_VERIFICATION_KEY_FILE'])(
  'refuses a weak key and a missing file in %s, in one line',
  (variable) => {
    const read = (path: string) => () => readGatewayConfig({ JWT_SECRET: SECRET, [variable]: path });
    const line = (reason: string) => new RegExp(`^${variable}: .*${reason}.*\\(example: ${variable}=/\\S+\\)$`);
    expect(read(writeOwnFile('p384.pem', toPem(ecKey('P-384'))))).toThrow(line('must hold an RSA key'));
    expect(read('/nowhere.pem')).toThrow(line('ENOENT'));
  },
);

test('accepts one more key for verification, other than the signing key', () => {
  const key = ecKey();
  const [privateFile, publicFile] = [writeOwnFile('a.pem', toPem(key)), writeOwnFile('a.pub.pem', toPublicPem(key))];
  const read = (env: Record<string, string>) => readGatewayConfig({ JWT_SECRET: SECRET, ...env }).verificationKey;
  const secret = `${SECRET} before`;
  expect(read({})).toBeUndefined();
  expect(read({ JWT_VERIFICATION_SECRET: secret })).toMatchObject({ algorithm: 'HS256' });
  expect(read({ JWT_VERIFICATION_SECRET: secret })).not.toHaveProperty('sign');
  for (const file of [privateFile, publicFile]) {
    const { algorithm, verify } = read({ JWT_VERIFICATION_KEY_FILE: file }) ?? {};
    expect([algorithm, verify?.type]).toEqual(['ES256', 'public']);
  }
  const both = { JWT_VERIFICATION_SECRET: secret, JWT_VERIFICATION_KEY_FILE: publicFile };
  expect(() => read(both)).toThrow('at most one');
  expect(() => read({ JWT_VERIFICATION_SECRET: SECRET })).toThrow('must differ from the signing key');
  const same = { JWT_PRIVATE_KEY_FILE: privateFile, JWT_VERIFICATION_KEY_FILE: publicFile };
  expect(() => read(same)).toThrow('must differ from the signing key');
  expect(read({ JWT_PRIVATE_KEY_FILE: privateFile, JWT_VERIFICATION_SECRET: SECRET })?.algorithm).toBe('HS256');
});

test('requires ADMIN_EMAIL and ADMIN_PASSWORD together, and normalises the address', () => {
  expect(() => readGatewayConfig({ ADMIN_EMAIL: 'a@b.example' })).toThrow('given together');
  const { firstUser } = readGatewayConfig({ ADMIN_EMAIL: 'Admin@B.example', ADMIN_PASSWORD: 'long enough' });
  expect(firstUser?.email).toBe('admin@b.example');
});

describe('tracing', () => {
  const read = (env: Record<string, string>) => readGatewayConfig(env).tracing;
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
