import { serveUntilEnd } from '@agent-fleet/scripts/testing/serve-until-end';
import { expect, test } from '@jest/globals';
import { isSkillId, parseSource } from '../src/sources/skill-source.ts';
import { fetchBytes } from '../src/sources/web-fetch.ts';

const GITHUB = { kind: 'git', type: 'github', url: 'https://github.com/o/r.git' };

test.each([
  ['o/r', GITHUB],
  ['o/r/skills/a', { ...GITHUB, path: 'skills/a' }],
  ['o/r/skills/a/SKILL.md', { ...GITHUB, path: 'skills/a' }],
  ['o/r@a', { ...GITHUB, skill: 'a' }],
  ['o/r@Some Skill', { ...GITHUB, skill: 'Some Skill' }],
  ['o/r#v1', { ...GITHUB, ref: 'v1' }],
  ['o/r@a#feature/x', { ...GITHUB, skill: 'a', ref: 'feature/x' }],
  ['o/r#v1@a', { ...GITHUB, skill: 'a', ref: 'v1' }],
  ['github:o/r', GITHUB],
  ['https://github.com/o/r', GITHUB],
  ['https://github.com/o/r.git', GITHUB],
  ['https://www.github.com/o/r/', GITHUB],
  ['https://github.com/o/r/tree/v1/skills/a', { ...GITHUB, ref: 'v1', path: 'skills/a' }],
  ['https://github.com/o/r/blob/v1/skills/a/SKILL.md', { ...GITHUB, ref: 'v1', path: 'skills/a' }],
  ['https://github.com/o/r/blob/v1/SKILL.md', { ...GITHUB, ref: 'v1', path: '' }],
  ['https://raw.githubusercontent.com/o/r/v1/a/SKILL.md', { ...GITHUB, ref: 'v1', path: 'a' }],
  ['https://raw.githubusercontent.com/o/r/refs/heads/main/a/SKILL.md', { ...GITHUB, ref: 'main', path: 'a' }],
  ['gitlab:g/s/r', { kind: 'git', type: 'gitlab', url: 'https://gitlab.com/g/s/r.git' }],
  ['https://gitlab.com/g/s/r', { kind: 'git', type: 'gitlab', url: 'https://gitlab.com/g/s/r.git' }],
  [
    'https://gitlab.example/g/r/-/tree/v1/a',
    { kind: 'git', type: 'gitlab', url: 'https://gitlab.example/g/r.git', ref: 'v1', path: 'a' },
  ],
  [
    'https://host.example/x/y.git#v1@a',
    { kind: 'git', type: 'git', url: 'https://host.example/x/y.git', ref: 'v1', skill: 'a' },
  ],
  ['git+https://host.example/x.git', { kind: 'git', type: 'git', url: 'https://host.example/x.git' }],
  ['git@host.example:o/r.git', { kind: 'git', type: 'git', url: 'git@host.example:o/r.git' }],
  ['ssh://git@host.example:22/o/r.git', { kind: 'git', type: 'git', url: 'ssh://git@host.example:22/o/r.git' }],
  ['http://127.0.0.1:81/r.git', { kind: 'git', type: 'git', url: 'http://127.0.0.1:81/r.git' }],
  ['https://skills.example/docs', { kind: 'web', type: 'well-known', url: 'https://skills.example/docs' }],
  ['./a', { kind: 'local', type: 'local', url: '/work-folder/a' }],
  ['..', { kind: 'local', type: 'local', url: '/' }],
  ['/a/b', { kind: 'local', type: 'local', url: '/a/b' }],
  ['file:///no/such/folder', { kind: 'local', type: 'local', url: '/no/such/folder' }],
  ['file:///no/such.git#v1', { kind: 'git', type: 'git', url: 'file:///no/such.git', ref: 'v1' }],
])('reads the source %s', (text, source) => {
  const { ...found } = parseSource(text, '/work-folder');
  expect(JSON.parse(JSON.stringify(found))).toEqual(source);
});

test.each([
  '--upload-pack=touch /tmp/x',
  '-o/r',
  'o/r#--upload-pack=x',
  'o/r#+refs/heads/x:refs/heads/y',
  'o/r#a..b',
  'o/r#a b',
  'o/r#:x',
  'o/r/../../x',
  'o/r/a/../b',
  'o/..',
  'ext::sh -c touch% /tmp/x',
  'ssh://-oProxyCommand=x/y',
  'git@-oProxyCommand=x:y',
  'git://host.example/r.git',
  'http://host.example/r.git',
  'http://127.0.0.1.evil.example/r.git',
  'ftp://host.example/SKILL.md',
  'https://user:secret@host.example/r.git',
  'https://token@github.com/o/r',
  'data:text/markdown,x',
  'file://host.example/etc',
  'o/r\u0000x',
  'o/r\u001b[2J',
  'https://github.com/',
  'https://github.com/o',
])('refuses the source %j as wrong usage', (text) => {
  expect(() => parseSource(text, '/')).toThrow(expect.objectContaining({ kind: 'usage' }));
});

test('tells ids of skills from other sources', () => {
  for (const id of ['review', 'a~pdf', '代码审查', 'v1.2', 'x@y']) expect(isSkillId(id)).toBe(true);
  for (const other of ['', '.', './a', 'a/b', 'a:b', '-x', 'C:\\a']) expect(isSkillId(other)).toBe(false);
});

test('follows few redirects, and none from TLS to this machine', async () => {
  const url = await serveUntilEnd((req, res) => res.writeHead(302, { location: `${req.url}x` }).end());
  await expect(fetchBytes(url, { fetch })).rejects.toThrow('too many redirects');
  const toLoopback = async () => new Response(null, { status: 302, headers: { location: `${url}/secret` } });
  await expect(fetchBytes('https://host.example/a', { fetch: toLoopback })).rejects.toThrow('not https');
  const huge = await serveUntilEnd((_req, res) => res.end(Buffer.alloc(3_000_000)));
  await expect(fetchBytes(huge, { fetch, maxBytes: 1_000_000 })).rejects.toThrow('larger than');
});
