import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROLES, SCOPES } from '@agent-fleet/sdk';
import { describe, expect, test } from '@jest/globals';
import {
  accessLabel,
  accessOptions,
  expiryState,
  givableScopes,
  type KeyDraft,
  toExpiry,
  toKeyInput,
} from '../../src/pages/access/api-key.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const DAY = 86_400_000;
const DRAFT: KeyDraft = {
  name: ' Build worker ',
  access: 'worker',
  scopes: [],
  agentIds: undefined,
  lifetime: '90',
  day: '',
  rateLimit: '',
};
const inDays = (days: number) => new Date(NOW + days * DAY).toISOString();

test('roles have the scopes that the documentation lists', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/users-and-keys.md'), 'utf8');
  const [head = [], ...rows] = page
    .split('\n')
    .filter((line) => /^\| (scope|`\w+:\w+`) \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
  const documented = Object.fromEntries(
    head.slice(3, -1).map((role, at) => [role, rows.filter((row) => row[3 + at] === '✓').map((row) => row[1])]),
  );
  const own = Object.fromEntries(Object.entries(ROLES).map(([role, scopes]) => [role, scopes.toSorted()]));
  expect(own).toEqual(
    Object.fromEntries(Object.entries(documented).map(([role, scopes]) => [role, scopes.toSorted()])),
  );
  expect(rows).toHaveLength(Object.keys(SCOPES).length);
});

test('access is called by its role, whatever the order of its scopes', () => {
  expect(accessLabel(['leases:write', 'tasks:read', 'agents:read'])).toBe('Worker');
  expect(accessLabel(ROLES.admin)).toBe('Admin');
  expect(accessLabel(['tasks:read'])).toBe('tasks:read');
  expect(accessLabel(['tasks:read', 'tasks:write'])).toBe('2 scopes');
  expect(accessLabel([])).toBe('Nothing');
});

describe('the expiry of a key', () => {
  test('is marked two weeks before', () => {
    expect(expiryState(null, NOW)).toBe('never');
    expect(expiryState(inDays(-1), NOW)).toBe('expired');
    expect(expiryState(inDays(14), NOW)).toBe('soon');
    expect(expiryState(inDays(15), NOW)).toBe('later');
  });

  test('is a number of days, or the end of a day', () => {
    expect(toExpiry('90', '', NOW)).toBe(inDays(90));
    const end = new Date(toExpiry('date', '2026-12-31', NOW));
    expect([end.getFullYear(), end.getMonth(), end.getDate(), end.getHours()]).toEqual([2026, 11, 31, 23]);
  });

  test('is refused in words', () => {
    expect(() => toExpiry('date', '', NOW)).toThrow('Choose the last day');
    expect(() => toExpiry('date', '2026-11-20', NOW)).toThrow('in the past');
    expect(() => toExpiry('date', '2028-01-01', NOW)).toThrow('at most 366 days');
  });
});

describe('a new key', () => {
  test('has what the form says, and nothing of what it leaves out', () => {
    expect(toKeyInput(DRAFT, NOW)).toEqual({ name: 'Build worker', role: 'worker', expires_at: inDays(90) });
    const chosen = { ...DRAFT, access: 'scopes', scopes: ['tasks:read'], agentIds: ['a'], rateLimit: '60' } as const;
    expect(toKeyInput(chosen, NOW)).toEqual({
      name: 'Build worker',
      scopes: ['tasks:read'],
      agent_ids: ['a'],
      expires_at: inDays(90),
      rate_limit_per_minute: 60,
    });
  });

  test('needs a scope and an agent where they are chosen', () => {
    expect(() => toKeyInput({ ...DRAFT, access: 'scopes' }, NOW)).toThrow('at least one scope');
    expect(() => toKeyInput({ ...DRAFT, agentIds: [] }, NOW)).toThrow('at least one agent');
  });

  test('can have what its maker has, and less if it is limited to agents', () => {
    const roles = (scopes: Parameters<typeof accessOptions>[0]) => accessOptions(scopes).map(({ value }) => value);
    expect(roles(ROLES.viewer)).toEqual(['viewer', 'scopes']);
    expect(roles(ROLES.operator)).toEqual(['viewer', 'approver', 'operator', 'scopes']);
    expect(roles(ROLES.admin)).toEqual(['viewer', 'worker', 'approver', 'operator', 'admin', 'scopes']);
    expect(roles(givableScopes(ROLES.admin, true))).toEqual(['viewer', 'worker', 'approver', 'operator', 'scopes']);
  });
});
