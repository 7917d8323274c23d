import { expect, test } from '@jest/globals';
import { findRefProblem, findRepositoryProblem } from './repository.ts';

test.each([
  'https://git.example.com/acme/shop.git',
  'http://[::1]:3000/acme/shop',
  'HTTPS://git.example.com/ключ',
  'ssh://git@git.example.com:2222/acme/shop.git',
  'ssh://git.example.com/acme/shop',
  'git://git.example.com/acme/shop.git',
  'file:///srv/git/shop.git',
  'file:///srv/git/a?b#c',
  'git@git.example.com:acme/shop.git',
  'git@[::1]:acme/shop.git',
])('takes the repository %s', (repository) => {
  expect(findRepositoryProblem(repository)).toBeUndefined();
});

const OTHER = /must be an http, https/;
const CREDENTIALS = /belong to the worker/;
const CHARACTERS = /must not have/;

test.each([
  ['https://user:secret@git.example.com/a', CREDENTIALS],
  ['https://token@git.example.com/a', CREDENTIALS],
  ['https://:secret@git.example.com/a', CREDENTIALS],
  ['https://%75ser@git.example.com/a', CREDENTIALS],
  ['https://a@b@git.example.com/a', CREDENTIALS],
  ['https:\\\\user:secret@git.example.com/a', CHARACTERS],
  ['https://git.example.com\\@evil.example/a', CHARACTERS],
  ['ssh://git:secret@git.example.com/a', CREDENTIALS],
  ['git://git:secret@git.example.com/a', CREDENTIALS],
  ['git://token@git.example.com/a', CREDENTIALS],
  ['https://git.example.com/a?access_token=secret', /query/],
  ['https://git.example.com/a#secret', /fragment/],
  ['ssh://git@git.example.com/a?', /query/],
  ['--upload-pack=touch /tmp/x', /begin with -/],
  ['-o@git.example.com:a', /begin with -/],
  ['ssh://-oProxyCommand=x/a', OTHER],
  ['ssh://%2doProxyCommand=x/a', OTHER],
  ['ssh://-x@git.example.com/a', OTHER],
  ['ssh://%2dx@git.example.com/a', OTHER],
  ['git@-oProxyCommand=x:a', OTHER],
  ['git@git.example.com:-a', OTHER],
  ['git@git.example.com::a', OTHER],
  ['git@git.example.com:', OTHER],
  ['user:secret@git.example.com:a', OTHER],
  ['ext::sh -c id', CHARACTERS],
  ['ext::sh', OTHER],
  ['ftp://git.example.com/a', OTHER],
  ['javascript:alert(1)', OTHER],
  ['https://', OTHER],
  ['https:git.example.com/a', OTHER],
  ['/srv/git/shop.git', OTHER],
  ['../shop.git', OTHER],
  ['git.example.com:a', OTHER],
  ['https://git.example.com/a b', CHARACTERS],
  ['https://git.example.com/a\n', CHARACTERS],
  ['https://git.example.com/a\u0000', CHARACTERS],
  ['https://git.example.com/a\u202e', CHARACTERS],
])('refuses the repository %j', (repository, problem) => {
  expect(findRepositoryProblem(repository)).toMatch(problem);
});

test.each(['main', 'v2.4', 'feature/ключ', 'a-b_c', '0123456789abcdef0123456789abcdef01234567', 'refs/heads/a', '@x'])(
  'takes the ref %s',
  (ref) => {
    expect(findRefProblem(ref)).toBeUndefined();
  },
);

test.each([
  ...[
    '-b',
    '--upload-pack=x',
    'a..b',
    'a b',
    'a\tb',
    'a\u007f',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a@{1}',
  ],
  ...['@', '/a', 'a/', 'a//b', 'a.', '.a', 'a/.b', 'a.lock', 'a.lock/b'],
])('refuses the ref %j', (ref) => {
  expect(findRefProblem(ref)).toMatch(/must be/);
});
