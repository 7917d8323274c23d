import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { ownFolder } from '../testing/own-folder.ts';
import { startWebBuild } from './web-build.ts';

const dir = ownFolder();

let said: string[];
beforeEach(() => {
  said = [];
});
const say = (line: string) => said.push(line);
const { WEB_ROOT, ...env } = process.env;

function writeBuild(name: string, script: string): string {
  const path = join(dir, name);
  writeFileSync(path, script);
  return path;
}

test('builds the pages once, and finds them again', async () => {
  const builtAt = async () => {
    const folder = await startWebBuild({ env, say }).folder;
    return ['catalogue.html', 'console.html'].map((name) => [folder, statSync(join(String(folder), name)).mtimeMs]);
  };
  expect(await builtAt()).toEqual(await builtAt());
  expect(said).toEqual([]);
});

test('WEB_ROOT replaces the build', async () => {
  const build = writeBuild('never.mjs', 'process.exit(1)');
  const web = startWebBuild({ env: { ...env, WEB_ROOT: '/a/folder' }, say, build });
  await expect(web.folder).resolves.toBe('/a/folder');
  await web.stop();
  expect(said).toEqual([]);
});

test.each([
  [
    'says what is wrong',
    'console.error("\\n✘ [ERROR] No such file\\n\\n  src/x.tsx:1:2"); process.exit(1)',
    'No such file',
  ],
  ['throws', 'throw new TypeError("it is wrong")', 'TypeError: it is wrong'],
  ['says nothing', 'process.exit(3)', 'exit code 3'],
  ['is killed', 'process.kill(process.pid, "SIGKILL")', 'SIGKILL'],
])('a build that fails leaves the fleet without pages, and one line: it %s', async (what, script, message) => {
  const build = writeBuild(`${what}.mjs`, script);
  await expect(startWebBuild({ env, say, build }).folder).resolves.toBeUndefined();
  expect(said).toEqual([expect.stringMatching(/^The fleet starts without web pages: [^\n]*$/)]);
  expect(said[0]).toContain(message);
  expect(said[0]).toContain(build);
});

test('a build is ended, without a word, when it is stopped', async () => {
  const build = writeBuild('endless.mjs', 'setInterval(() => {}, 1_000)');
  const web = startWebBuild({ env, say, build });
  await web.stop();
  await expect(web.folder).resolves.toBeUndefined();
  expect(said).toEqual([]);
});
