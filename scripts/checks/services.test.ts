import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { NODE_ENVIRONMENT, NODE_FLAGS, ROOT, SERVICES, UPSTREAMS, upstreamVariables } from '../services.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const compose = read('docker-compose.yml');
const dockerfile = read('deploy/Dockerfile');
const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };

/** The section of a service in docker-compose.yml. */
function sectionOf(name: string): string {
  return new RegExp(`^  ${name}:\\n((?:    .*\\n|\\n)*)`, 'm').exec(compose)?.[1] ?? '';
}

test.each(SERVICES)('docker-compose.yml builds and runs $name as the list of services says', (service) => {
  const section = sectionOf(service.name);
  const workspace = service.main.replace('/src/main.ts', '');
  expect(workspaces).toContain(workspace);
  expect(section).toContain(`WORKSPACE: ${workspace}, PORT: "${service.port}"`);
  for (const [name, value] of Object.entries(service.environment)) expect(section).toContain(`${name}: "${value}"`);
});

test('docker-compose.yml builds no other service', () => {
  expect(compose.match(/WORKSPACE: \S+/g)).toHaveLength(SERVICES.length);
});

test('docker-compose.yml tells the gateway where its upstreams are and waits for them', () => {
  const section = sectionOf('gateway');
  const portOf = (name: string) => SERVICES.find((service) => service.name === name)?.port;
  for (const [variable, url] of Object.entries(upstreamVariables((name) => `http://${name}:${portOf(name)}`))) {
    expect(section).toContain(`${variable}: ${url}`);
  }
  for (const name of UPSTREAMS) expect(section).toContain(`${name}: { condition: service_healthy }`);
});

test('deploy/Dockerfile has the manifest of every workspace, and the flags of every service', () => {
  for (const workspace of workspaces) expect(dockerfile).toContain(`COPY ${workspace}/package.json ${workspace}/\n`);
  expect(dockerfile).toContain(`NODE_OPTIONS="${NODE_FLAGS.join(' ')}"`);
  expect(dockerfile).toContain(`MALLOC_ARENA_MAX=${NODE_ENVIRONMENT.MALLOC_ARENA_MAX} `);
});
