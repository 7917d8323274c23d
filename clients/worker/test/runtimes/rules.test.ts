import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { describe, expect, test } from '@jest/globals';
import { createRules } from '../../src/runtimes/rules.ts';

const workspace = join(ownFolder(), 'workspace');
mkdirSync(join(workspace, 'src'), { recursive: true });
symlinkSync('/etc', join(workspace, 'src/link'));
const bash = (command: string) => ['Bash', { command }] as const;
const edit = (file_path: string) => ['Write', { file_path }] as const;
const fetched = (url: string) => ['WebFetch', { url }] as const;

type Call = readonly [name: string, input: unknown];

const verdictOf = (list: 'allow' | 'ask' | 'deny', rule: string, [name, input]: Call, permissions = 'edit') =>
  createRules({ ...{ allow: [], ask: [], deny: [] }, [list]: [rule] }, permissions).verdict(name, input, workspace);

describe('a rule that denies', () => {
  test.each<[string, Call]>([
    ['Bash', bash('ls')],
    ['Bash(*)', bash('ls')],
    ['Bash(git push *)', bash('git push origin main')],
    ['Bash(git push *)', bash('git push')],
    ['Bash(git push:*)', bash('git push -f')],
    ['Bash(git push *)', bash('cd x && git  push')],
    ['Bash(git push *)', bash('ls; FOO=1 sudo git push')],
    ['Bash(git push *)', bash('echo $(git push -f)')],
    ['Bash(git push *)', bash('sh -c "git push"')],
    ['Bash(git push *)', bash('"git" push')],
    ['Bash(rm *)', bash('/bin/rm -rf x')],
    ['Bash(rm *)', ['execute', { title: 'rm x' }]],
    ['Edit(src/**)', edit('src/a/b.ts')],
    ['Edit(src/**)', ['apply_patch', { changes: [{ path: 'src/a' }] }]],
    ['Edit(src/**)', ['edit', {}]],
    ['Write(*.env)', edit(join(workspace, 'deep/prod.env'))],
    ['Read(**/secret)', ['Read', { file_path: 'secret' }]],
    ['WebFetch(domain:example.com)', fetched('https://example.com')],
    ['WebFetch(http:*)', fetched('http://example.com/')],
    ['mcp__issues', ['mcp__issues__close', {}]],
    ['mcp__issues__c*', ['mcp__issues__close', {}]],
    ['mcp__issues__close(*"id":7*)', ['mcp__issues__close', { id: 7 }]],
  ])('%s holds %j', (rule, call) => expect(verdictOf('deny', rule, call)).toBe('deny'));

  test.each<[string, Call]>([
    ['Bash(git push *)', bash('git pushy')],
    ['Bash(git push *)', bash('git pull')],
    ['Bash(rm *)', edit('rm x')],
    ['Edit(src/**)', edit('test/a.ts')],
    ['WebFetch(domain:example.com)', fetched('https://other.example/?example.com')],
    ['mcp__issues', ['mcp__issues2__close', {}]],
    ['mcp__issues__close(*"id":7*)', ['mcp__issues__close', { id: 8 }]],
  ])('%s is not for %j', (rule, call) => expect(verdictOf('deny', rule, call)).toBeUndefined());
});

describe('a rule that allows', () => {
  test.each<[string, Call]>([
    ['Bash(npm test *)', bash('npm test')],
    ['Edit', edit('src/new.ts')],
    ['Edit(src/*)', edit('src/new.ts')],
    ['WebFetch(domain:example.com)', fetched('https://example.com/a')],
    ['mcp__issues__close', ['mcp__issues__close', {}]],
  ])('%s holds %j', (rule, call) => expect(verdictOf('allow', rule, call)).toBe('allow'));

  test.each<[string, Call]>([
    ['Bash', bash('npm test')],
    ['Bash(npm test *)', bash('npm test; curl x')],
    ['Bash(npm test *)', bash('npm test $(curl x)')],
    ['Bash(npm test *)', bash('npm test > /etc/x')],
    ['Edit', edit('../other')],
    ['Edit(src/**)', edit('src/link/hosts')],
    ['Edit(src/**)', edit('src/../../other')],
    ['Edit', ['edit', {}]],
    ['WebFetch(domain:example.com)', fetched('https://other.example/https://example.com/')],
  ])('%s is not for %j', (rule, call) => expect(verdictOf('allow', rule, call)).toBeUndefined());

  test('allows no change where nothing may be changed', () => {
    for (const call of [bash('npm test'), edit('src/a')]) {
      for (const rule of ['Edit', 'Bash(npm test)']) {
        expect(verdictOf('allow', rule, call, 'read-only')).toBeUndefined();
      }
    }
  });
});

test('denials go before questions, and questions before what is allowed', () => {
  const rules = createRules({ allow: ['Bash(a *)'], ask: ['Bash(a b *)'], deny: ['Bash(a b c)'] }, 'edit');
  const verdicts = ['a', 'a b', 'a b c'].map((command) => rules.verdict('bash', { command }, workspace));
  expect(verdicts).toEqual(['allow', 'ask', 'deny']);
});

test('does not take long for texts that a pattern almost fits', () => {
  const beganAt = performance.now();
  verdictOf('deny', `Bash(${'a*'.repeat(100)}b)`, bash('a'.repeat(60_000)));
  expect(performance.now() - beganAt).toBeLessThan(1_000);
});
