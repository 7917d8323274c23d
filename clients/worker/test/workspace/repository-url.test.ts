import { describe, expect, test } from '@jest/globals';
import { isAllowed, parseRepositoryUrl } from '../../src/workspace/repository-url.ts';

describe('an address of a repository', () => {
  const allow = (repository: string, ...allowed: string[]) =>
    isAllowed(parseRepositoryUrl(repository), allowed.map(parseRepositoryUrl));

  test.each([
    ['https://git.example.com/team/repo.git', 'https://git.example.com/team/'],
    ['https://git.example.com/team/repo.git', 'https://GIT.example.com:443'],
    ['https://git.example.com/team/repo.git', 'https://git.example.com/team/repo'],
    ['https://git.example.com/team/repo', 'https://git.example.com/team/repo.git'],
    ['git@git.example.com:team/repo.git', 'git@git.example.com:team'],
    ['git@git.example.com:team/repo.git', 'ssh://git.example.com/team'],
    ['ssh://git@git.example.com/team/repo', 'git.example.com:team/'],
    ['file:///srv/git/repo', 'file:///srv/git'],
  ])('%s is allowed by %s', (repository, prefix) => {
    expect(allow(repository, prefix)).toBe(true);
  });

  test.each([
    ['https://git.example.com/team-evil/repo', 'https://git.example.com/team'],
    ['https://git.example.com/team-evil/repo', 'https://git.example.com/team/'],
    ['https://git.example.com.evil.com/team/repo', 'https://git.example.com'],
    ['https://git.example.com:8443/team/repo', 'https://git.example.com/team'],
    ['http://git.example.com/team/repo', 'https://git.example.com/team'],
    ['https://git.example.com/Team/repo', 'https://git.example.com/team'],
    ['https://git.example.com/team', 'https://git.example.com/team/repo'],
    ['root@git.example.com:team/repo', 'git@git.example.com:team'],
    ['file:///srv/git-evil/repo', 'file:///srv/git'],
    ['file:///srv/git/repo', 'https://git.example.com'],
  ])('%s is not allowed by %s', (repository, prefix) => {
    expect(allow(repository, prefix)).toBe(false);
    expect(allow(repository)).toBe(false);
  });

  test.each([
    'https://git.example.com@evil.example.com/repo',
    'https://user:password@git.example.com/team/repo',
    'https://git.example.com/team/../secret/repo',
    'https://git.example.com/team/%2e%2e/secret/repo',
    'https://git.example.com/team%2frepo',
    'https://git.example.com\\@evil.example.com/repo',
    'https://git.example.com/team/repo?x=1',
    'https://git.example.com/team/re\npo',
    'ssh://-oProxyCommand=touch/repo',
    '-oProxyCommand=touch:repo',
    'git@git.example.com:-team/repo',
    'ext::sh -c touch',
    'ext::sh',
    'fd::17',
    'file://host/srv/git',
    '/srv/git/repo',
    '../repo',
    '--upload-pack=touch',
    '',
  ])('%s is refused', (repository) => {
    expect(() => parseRepositoryUrl(repository)).toThrow(/^it/);
  });
});
