import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ROOT } from '../services.ts';

interface Container {
  environment?: Record<string, string | null>;
  ports?: string[];
  secrets?: string[];
  [option: string]: unknown;
}

interface Compose {
  services: Record<string, Container>;
  secrets?: Record<string, { file: string }>;
}

const SECRET = /(PASSWORD|SECRET|_TOKEN|API_KEYS|_KEY|OTLP_HEADERS|REDIS_URL)(_FILE)?$/;
const OVERLAYS = [
  'compose.production.yml',
  'compose.sentinel.yml',
  'monitoring/compose.monitoring.yml',
  'workers/docker-compose.yml',
];

const [base, ...overlays] = ['docker-compose.yml', ...OVERLAYS.map((file) => `deploy/${file}`)].map(
  (path) => parse(readFileSync(join(ROOT, path), 'utf8'), { merge: true }) as Compose,
);
const files = [base, ...overlays] as Compose[];
const [production] = overlays as [Compose];
const names = [...new Set(files.flatMap(({ services }) => Object.keys(services)))];

/** A container as Compose merges it: options of later files replace earlier ones, but lists and environments grow. */
function merged(name: string): Container {
  const parts = files.map(({ services }) => services[name]).filter((part) => part !== undefined);
  const environment = Object.assign({}, ...parts.map((part) => part.environment));
  const ports = parts.flatMap((part) => part.ports ?? []);
  const secrets = parts.flatMap((part) => part.secrets ?? []);
  return { ...Object.assign({}, ...parts), environment, ports, secrets };
}

test.each(names)('in production the container %s is confined and limited', (name) => {
  const container = merged(name);
  expect(container).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    pids_limit: expect.any(Number),
    mem_limit: expect.anything(),
    cpus: expect.anything(),
    logging: { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    restart: name === 'credentials' ? 'no' : 'unless-stopped',
  });
  for (const option of ['privileged', 'cap_add', 'devices', 'pid', 'ipc']) expect(container).not.toHaveProperty(option);
  expect(container.network_mode ?? 'none').toBe('none');
});

test('in production only the load balancer publishes ports to others than this machine: for HTTP and HTTPS', () => {
  const published = names.map((name) => [name, merged(name).ports?.filter((port) => !port.startsWith('127.0.0.1:'))]);
  const ports = Object.fromEntries(published.filter(([, list]) => list?.length));
  expect(ports).toEqual({ 'load-balancer': [expect.stringMatching(/:8080$/), expect.stringMatching(/:8443$/)] });
});

test.each(Object.keys(production.services))('in production %s reads every secret from a file that it has', (name) => {
  const { environment = {}, secrets = [] } = merged(name);
  const variables = Object.keys(environment).filter((variable) => SECRET.test(variable));
  // A value from the shell or .env would be refused beside the file.
  const given = variables.filter((variable) => !variable.endsWith('_FILE') && environment[variable] != null);
  expect(given).toEqual([]);
  const inFiles = variables.filter((variable) => variable.endsWith('_FILE') && environment[variable] != null);
  const others = variables.filter((variable) => !variable.endsWith('_FILE') && !inFiles.includes(`${variable}_FILE`));
  expect(others).toEqual([]);
  const paths = inFiles.map((variable) => environment[variable]);
  const provided = ['/credentials/redis_url', ...secrets.map((secret) => `/run/secrets/${secret}`)];
  expect(paths.filter((path) => !provided.includes(path ?? ''))).toEqual([]);
  for (const secret of secrets) {
    expect(production.secrets?.[secret]?.file).toBe(`\${SECRETS_DIR:-./deploy/secrets}/${secret}`);
  }
});

test('a stopped load balancer ends its open streams itself, before Docker kills it', () => {
  const configuration = readFileSync(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
  const [, hardStop] = /^ *hard-stop-after (\d+)s$/m.exec(configuration) ?? [];
  const grace = String(merged('load-balancer').stop_grace_period).replace(/s$/, '');
  expect(Number(grace)).toBeGreaterThanOrEqual(Number(hardStop) + 5);
});

test('in production the number of containers of a service is a setting, which every `up` keeps', () => {
  for (const name of ['gateway', 'agents', 'identity', 'registry']) {
    expect(production.services[name]?.scale).toBe(`\${${name.toUpperCase()}_REPLICAS:-1}`);
  }
});

test('deploy/make-secrets makes every file that compose.production.yml names', () => {
  const script = readFileSync(join(ROOT, 'deploy/make-secrets'), 'utf8');
  expect(Object.keys(production.secrets ?? {}).filter((name) => !new RegExp(`\\b${name}\\b`).test(script))).toEqual([]);
});
