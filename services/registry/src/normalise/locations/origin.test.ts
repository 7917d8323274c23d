import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { draftOf } from '../../../test/support/draft-of.ts';

const read = (record: object) => draftOf({ name: 'x', ...record });
const originOf = (record: object) => {
  const { host, skill } = read(record);
  return { host, ...skill.source };
};
const repoOf = (record: object) => read(record).skill.source.repo;

test.each([
  [{ repo: 'a/b' }, undefined],
  [{ repo: 'https://github.com/a/b' }, undefined],
  [{ repo: 'https://www.GitHub.com/a/b' }, undefined],
  [{ repo: 'ssh://git@ssh.github.com:443/a/b' }, undefined],
  [{ repo: 'git@github.com:a/b.git' }, undefined],
  [{ source: { type: 'github', repo: 'a/b' } }, undefined],
  [{ repo: 'a/b', url: 'https://gitlab.com/x/y' }, undefined],
  [{ repo: 'a/b', url: 'https://example.com/a/b' }, undefined],
  [{ type: 'gitlab', repo: 'a/b' }, undefined],
  [{ repo: 'a/b.git' }, undefined],
  [{ source: { repo: 'a/b', provider: 'skills.sh' } }, undefined],
  [{ source: { repo: 'a/b', type: 'v1.0' } }, undefined],
  [{ source: { repo: 'a/b', host: 'api.github.com', provider: 'gitlab' } }, undefined],
  [{ source: { repo: 'a/b', host: 'github', provider: 'gitlab' } }, undefined],
  [{ source: { repo: 'a/b', host: 'x'.repeat(300) } }, undefined],
  [{ source: { repo: 'a/b', host: 'https://gitlab.com/' } }, 'gitlab.com'],
  [{ source: { repo: 'a/b', host: 'gitlab.com:8443' } }, 'gitlab.com'],
  [{ source: { repo: 'a/b', host: 'GitLab' } }, 'gitlab.com'],
  [{ source: { repo: 'a/b', host: 'localhost' } }, 'localhost'],
  [{ source: { url: 'https://git.example.com/a/b.git' } }, 'git.example.com'],
  [{ repository: { full_name: 'a/b', html_url: 'https://gitlab.com/a/b' } }, 'gitlab.com'],
  [{ repo: 'https://GitLab.com/a/b' }, 'gitlab.com'],
  [{ repo: 'https://user@www.gitlab.com:443/a/b' }, 'gitlab.com'],
  [{ url: 'https://gitlab.com/a/b/-/tree/main/p' }, 'gitlab.com'],
  [{ repository: 'ssh://git@git.example.com:2222/a/b' }, 'git.example.com'],
  [{ source: 'git@git.example.com:a/b.git' }, 'git.example.com'],
  [{ repo: 'a/b', url: 'https://gitlab.com/A/b/-/tree/main' }, 'gitlab.com'],
  [{ repo: 'a/b', repository: { url: 'https://git.example.com/a/b' } }, 'git.example.com'],
  [{ source: { type: 'gitlab', repo: 'a/b' } }, 'gitlab.com'],
  [{ source: { type: 'gitlab', host: 'git.example.com', repo: 'a/b' } }, 'git.example.com'],
])('the host of the repository of %j is %s', (record, host) => {
  expect(originOf(record)).toMatchObject({ host, repo: 'a/b' });
});

test("a skill of another host than GitHub is served with a URL of that host, and upstream's own values are kept", () => {
  const source = 'git@git.example.com:a/b.git';
  expect(originOf({ source }).url).toBe('https://git.example.com/a/b');
  const homepage = 'https://github.com/x/y';
  const draft = read({ source, homepage });
  expect(draft.skill.source.url).toBe('https://git.example.com/a/b');
  expect(draft.skill.extra).toEqual({ source, homepage });
  expect(originOf({ source, homepage: 'https://example.com' }).url).toBe('https://example.com');
});

test('the host of a source object is kept in extra', () => {
  const source = { repo: 'a/b', host: 'git.example.com', url: 'https://example.com/page' };
  expect(read({ source })).toMatchObject({ host: source.host, skill: { source: { url: source.url } } });
  expect(read({ source }).skill.extra).toEqual({ source: { host: source.host } });
});

test('the host is part of an id made of a repository, except for GitHub', () => {
  expect(read({ repo: 'https://gitlab.com/a/b' }).base).toBe('gitlab.com~a~b~x');
  expect(read({ repo: 'https://github.com/a/b' }).base).toBe('a~b~x');
});

test('the host of a repository is found in each form of an address', () => {
  const host = fc.domain().filter((name) => !/github|^www\./i.test(name));
  const form = fc.constantFrom('https://HOST/a/b', 'git@HOST:a/b.git', 'ssh://git@HOST/a/b', 'git+https://HOST/a/b');
  fc.assert(
    fc.property(host, form, (name, address) => {
      const origin = originOf({ repository: address.replace('HOST', name), homepage: 'https://github.com/a/b' });
      expect(origin).toMatchObject({ repo: 'a/b', host: name.toLowerCase() });
      expect(URL.parse(origin.url ?? '')?.hostname).toBe(name.toLowerCase());
    }),
  );
});

const at = 'https://github.com/a/b';

test.each([
  ['tree/main/skills/x?tab=readme', 'main', 'skills/x'],
  ['tree/main/skills/x#use', 'main', 'skills/x'],
  ['tree/main/skills/x/?tab=readme', 'main', 'skills/x'],
  ['blob/feature%2Fone/my%20skills/%C3%BC/SKILL.md', 'feature/one', 'my skills/ü/SKILL.md'],
  ['tree/main?path=/p', 'main', null],
  ['tree/v1%zz/a%2', 'v1%zz', 'a%2'],
  ['tree/main/a%20b%FF', 'main', 'a b%FF'],
  ['tree/main/a%0Ab', 'main', 'a%0Ab'],
  ['tree/main/a%2F..%2F..%2Fb', 'main', null],
  ['tree/main/%2e%2e/b', 'main', null],
  ['?tab=readme', null, null],
  ['#readme', null, null],
])('the address of a folder that ends in %s has the ref %s and the path %s', (rest, ref, path) => {
  const url = rest.startsWith('tree') || rest.startsWith('blob') ? `${at}/${rest}` : `${at}${rest}`;
  expect(originOf({ repository: url })).toMatchObject({ repo: 'a/b', ref, path, url });
});

test.each([
  'N/A',
  'n/a',
  './..',
  '../..',
  '.../x',
  'a/..',
  'orgs/a',
  'Topics/x',
  'marketplace/actions',
  'https://github.com/orgs/a',
  'github.com/a',
  'https://gist.github.com/a/b',
  'https://raw.githubusercontent.com/a/b',
])('%s is not read as a repository', (text) => {
  expect(repoOf({ repo: text })).toBeNull();
  expect(repoOf({ repo: text, repository: 'a/b' })).toBe('a/b');
});

test.each(['https://github.com/topics/skills', 'https://github.com/sponsors/a', 'https://gitlab.com/../a'])(
  'the page %s is not read as a repository',
  (url) => {
    expect(originOf({ url })).toMatchObject({ repo: null, url });
  },
);

test.each([
  { source: 'https://example.com/a/b' },
  { url: 'https://example.com/a/b' },
  { source: { url: 'https://example.com/a/b' } },
])('the URL of a page of an unknown host is not read as a repository: %j', (record) => {
  expect(originOf(record)).toMatchObject({ host: undefined, repo: null, url: 'https://example.com/a/b' });
  expect(read(record).skill.extra).toEqual({});
});

test.each([
  { repository: 'https://example.com/a/b' },
  { source: 'https://example.com/a/b.git' },
  { source: 'https://codeberg.org/a/b' },
  { metadata: { repo_url: 'https://example.com/a/b' } },
  { source: 'https://example.com/page', repository: 'https://example.com/a/b' },
])('an address of an unknown host is read as a repository in %j', (record) => {
  expect(repoOf(record)).toBe('a/b');
});

test('names that GitHub reserves are read as owners on other hosts only', () => {
  expect(originOf({ repo: 'https://git.example.com/apps/x' })).toMatchObject({
    host: 'git.example.com',
    repo: 'apps/x',
  });
  expect(repoOf({ repo: 'appsmith/x' })).toBe('appsmith/x');
  expect(repoOf({ repo: 'n/api' })).toBe('n/api');
  expect(repoOf({ repo: '.github/x' })).toBe('.github/x');
});
