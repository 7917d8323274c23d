import { expect, test } from '@jest/globals';
import { deriveInstall } from './install.ts';
import type { SkillKind } from './skill.ts';

const installOf = (name: string, repo: string | null, host?: string, kind: SkillKind = 'skill') =>
  deriveInstall({ kind, name, source: { repo, ref: null, url: null } }, host);

test.each([
  ['pdf', 'owner/tools', undefined, 'npx skills add owner/tools --skill pdf'],
  ['PDF_2.0', 'Owner/.github', undefined, 'npx skills add Owner/.github --skill PDF_2.0'],
  ['pdf', 'group/team/tools', 'gitlab.com', 'npx skills add https://gitlab.com/group/team/tools.git --skill pdf'],
])('the command that installs %s of %s on %s is %s', (name, repo, host, command) => {
  expect(installOf(name, repo, host)).toBe(command);
});

test.each([
  ['pdf', null, undefined],
  ['pdf', 'tools', undefined],
  ['pdf', 'group/team/tools', undefined],
  ['pdf', '../tools', undefined],
  ['pdf', 'owner/..', undefined],
  ['pdf', '-x/tools', undefined],
  ['pdf', 'owner/tools;id', undefined],
  ['--all', 'owner/tools', undefined],
  ['pdf tools', 'owner/tools', undefined],
  ['$(id)', 'owner/tools', undefined],
  ['pdf\nid', 'owner/tools', undefined],
  ['技能', 'owner/tools', undefined],
  ['pdf', 'owner/tools', 'git.example.com:22 -x'],
])('there is no command for the skill %j of %j', (name, repo, host) => {
  expect(installOf(name, repo, host)).toBeNull();
});

test.each([
  [null, 'npx skills add owner/tools --skill pdf'],
  ['main', 'npx skills add owner/tools --skill pdf'],
  ['v1.2', 'npx skills add owner/tools#v1.2 --skill pdf'],
  ['feature/x', 'npx skills add owner/tools#feature/x --skill pdf'],
  ['0123abc'.repeat(5), `npx skills add owner/tools#${'0123abc'.repeat(5)} --skill pdf`],
  ['-x', null],
  ['a@b', null],
  ['v1;id', null],
  ['a/../b', null],
])('the command that installs a skill of the ref %s is %s', (ref, command) => {
  const of = (host?: string) =>
    deriveInstall({ kind: 'skill', name: 'pdf', source: { repo: 'owner/tools', ref, url: null } }, host);
  expect(of()).toBe(command);
  expect(of('codeberg.org')).toBe(command?.replace('owner/tools', 'https://codeberg.org/owner/tools.git') ?? null);
});

test('there is a command for skills only', () => {
  expect(installOf('pdf', 'owner/tools', undefined, 'plugin')).toBeNull();
});

test.each(['http://10.0.0.5/owner/tools', 'https://git.example.com:8443/owner/tools'])(
  'there is no command for a repository at %s, which the host alone does not tell',
  (url) => {
    const host = new URL(url).hostname;
    expect(
      deriveInstall({ kind: 'skill', name: 'pdf', source: { repo: 'owner/tools', ref: null, url } }, host),
    ).toBeNull();
  },
);
