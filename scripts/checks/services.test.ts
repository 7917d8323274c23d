import { readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from '@jest/globals';
import { NODE_ENVIRONMENT, NODE_FLAGS, ROOT, SERVICES, UPSTREAMS, upstreamVariables } from '../services.ts';
import { WORKSPACES } from './source-files.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const compose = read('docker-compose.yml');
const dockerfile = read('deploy/Dockerfile');
const routes = read('gateway/src/routing/routes.ts');
const mains: readonly string[] = SERVICES.map(({ main }) => main);

/** The section of a service in docker-compose.yml. */
function sectionOf(name: string): string {
  return new RegExp(`^  ${name}:\\n((?:    .*\\n|\\n)*)`, 'm').exec(compose)?.[1] ?? '';
}

/** The port of a service in scripts/services.ts. */
function portOf(name: string): number | undefined {
  return SERVICES.find((service) => service.name === name)?.port;
}

test('scripts/services.ts lists every workspace in services/', () => {
  const services = WORKSPACES.filter((workspace) => workspace.startsWith('services/'));
  expect(services.map((workspace) => `${workspace}/src/main.ts`).filter((main) => !mains.includes(main))).toEqual([]);
});

test.each(UPSTREAMS)('gateway/src/routing/routes.ts has %s with the port of scripts/services.ts', (name) => {
  expect(routes).toContain(`  ${name}: { url: 'http://127.0.0.1:${portOf(name)}', `);
});

test.each(SERVICES)('docker-compose.yml builds and runs $name as the list of services says', (service) => {
  const section = sectionOf(service.name);
  const workspace = service.main.replace('/src/main.ts', '');
  expect(section).toContain(`WORKSPACE: ${workspace}, PORT: "${service.port}"`);
  for (const [name, value] of Object.entries(service.environment)) expect(section).toContain(`${name}: "${value}"`);
});

test('docker-compose.yml builds the web pages into the image of the gateway only', () => {
  const targets = SERVICES.map(({ name }) => [name, /^ {6}target: (\w+)$/m.exec(sectionOf(name))?.[1]]);
  expect(targets).toEqual(SERVICES.map(({ name }) => [name, name === 'gateway' ? 'gateway' : 'service']));
});

test('docker-compose.yml builds no other service', () => {
  expect(compose.match(/WORKSPACE: \S+/g)).toHaveLength(SERVICES.length);
});

test('docker-compose.yml gives the gateway the URLs of its upstreams and waits for them', () => {
  const section = sectionOf('gateway');
  for (const [variable, url] of Object.entries(upstreamVariables((name) => `http://${name}:${portOf(name)}`))) {
    expect(section).toContain(`${variable}: ${url}`);
  }
  for (const name of UPSTREAMS) expect(section).toContain(`${name}: { condition: service_healthy }`);
});

test('.dockerignore includes the manifest of every workspace', () => {
  const included = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, pattern = '']) => pattern);
  const isIncluded = (path: string) =>
    included.some((pattern) => matchesGlob(path, pattern) || path.startsWith(`${pattern}/`));
  expect(WORKSPACES.filter((workspace) => !isIncluded(`${workspace}/package.json`))).toEqual([]);
});

test('deploy/Dockerfile has the flags of every service', () => {
  expect(dockerfile).toContain(`NODE_OPTIONS="${NODE_FLAGS.join(' ')}"`);
  expect(dockerfile).toContain(`MALLOC_ARENA_MAX=${NODE_ENVIRONMENT.MALLOC_ARENA_MAX} `);
});
