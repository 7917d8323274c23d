import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const compose = read('deploy/workers/docker-compose.yml');
const dockerfile = read('deploy/workers/Dockerfile');
const guide = read('docs/run-your-first-agent.md');
const programs = JSON.parse(read('e2e/runtimes/programs/package.json')).dependencies as Record<string, string>;

/** Names of the keys of `RUNTIMES`. */
const catalogue = /RUNTIMES:[^{]*\{([^}]*)\}/.exec(read('clients/worker/src/runtimes/catalogue.ts'))?.[1] ?? '';
const runtimes = [...catalogue.matchAll(/^ {2}'?([\w-]+)'?[:,]/gm)].map(([, name = '']) => name);

/** The section of a runtime's worker in the overlay. */
function sectionOf(runtime: string): string {
  return new RegExp(`^  worker-${runtime}:\\n((?:    .*\\n)*)`, 'm').exec(compose)?.[1] ?? '';
}

/** The package of a runtime in the overlay, with the version that is installed by default. */
function packageOf(runtime: string): [name: string, version: string] {
  const [, name = '', version = ''] = /RUNTIME: "(.+)@\$\{\w+_VERSION:-(.+)\}"/.exec(sectionOf(runtime)) ?? [];
  return [name, version];
}

test('the overlay has a worker for every runtime, and no other', () => {
  const workers = [...compose.matchAll(/^ {2}worker-([\w-]+):$/gm)].map(([, name]) => name);
  expect(workers.toSorted()).toEqual(runtimes.toSorted());
  expect(runtimes.length).toBeGreaterThan(0);
});

test.each(runtimes)('the worker of %s has its profile, its options and a volume of its own', (runtime) => {
  const section = sectionOf(runtime);
  expect(section).toContain(`profiles: [${runtime}]\n`);
  expect(section).toContain(`- "--runtime"\n      - "${runtime}"\n`);
  expect(section).toContain('dockerfile: deploy/workers/Dockerfile\n');
  expect(section).toContain(`- workspaces-${runtime}:/workspaces\n`);
  expect(compose).toMatch(new RegExp(`^  workspaces-${runtime}:$`, 'm'));
});

test.each(runtimes)('the guide installs the version of %s that the container has', (runtime) => {
  const [name, version] = packageOf(runtime);
  expect(guide).toContain(`${name}@${version}\``);
});

test('the containers have the versions that the tests with real programs use', () => {
  const versions = Object.fromEntries(runtimes.map(packageOf));
  expect(versions).toMatchObject(programs);
});

test('agents cannot read the programs that hold the keys, nor open a debugger in them', () => {
  // Docker's own init is readable, and so is its environment.
  expect(compose).not.toMatch(/^ *init:/m);
  const [, init = '', node = ''] = /ENTRYPOINT \["(\S+)", "--", "(\S+)", "--disable-sigusr1", /.exec(dockerfile) ?? [];
  for (const program of [init, node])
    expect(dockerfile).toMatch(new RegExp(`install -m 711 \\S+.* ${program}(\\s|$)`, 'm'));
});

test('the container starts a program that exists', () => {
  const [, program = ''] = /^ENTRYPOINT .*"\/app\/([^"]+\.ts)"/m.exec(dockerfile) ?? [];
  expect(program).not.toBe('');
  expect(existsSync(join(ROOT, program))).toBe(true);
});
