import { expect, test } from '@jest/globals';
import type { Request } from 'express';
import type { Operation } from './operation.ts';
import { ROLES, type Role, SCOPE_NAMES, type Scope } from './scopes.ts';
import { createScopeCheck } from './service-router.ts';

const BASE = { id: 'x', method: 'get', path: '/', tag: '', summary: '', responses: {} } as const;
const needing = (scope: Scope | 'signed-in'): Operation => ({ ...BASE, scope });

/** The error's status and body; undefined when the request may pass. */
function check(operation: Operation, headers: Record<string, string>, acceptedTokens: readonly string[] = ['a-token']) {
  try {
    createScopeCheck(acceptedTokens)(operation, { headers } as unknown as Request);
    return undefined;
  } catch (error) {
    const { status, body } = error as { status: number; body: Record<string, unknown> };
    return { status, ...body };
  }
}

const ofRole = (role: Role) => ({ 'x-fleet-principal': 'user:a', 'x-fleet-scopes': ROLES[role].join(' ') });

test('a principal without scopes may do only what needs none', () => {
  const headers = { 'x-fleet-principal': 'user:a', 'x-fleet-scopes': '' };
  expect(check(needing('signed-in'), headers)).toBeUndefined();
  expect(check(needing('agents:read'), headers)).toMatchObject({ status: 403 });
});

test.each(['agents:rea', 'agents:read,tasks:read', 'AGENTS:READ', 'xagents:read', 'agents:read\ttasks:read'])(
  'the scopes %j do not include agents:read',
  (scopes) => {
    expect(check(needing('agents:read'), { 'x-fleet-principal': 'user:a', 'x-fleet-scopes': scopes })).toMatchObject({
      details: { required: 'agents:read' },
    });
  },
);

test('a public operation needs nothing', () => {
  expect(check({ ...BASE, security: 'public' }, {})).toBeUndefined();
});

test('without a principal nothing but public operations is served', () => {
  for (const headers of [{}, { 'x-fleet-scopes': SCOPE_NAMES.join(' ') }]) {
    for (const scope of ['signed-in', 'agents:read'] as const) {
      expect(check(needing(scope), headers as Record<string, string>)).toMatchObject({ status: 403 });
    }
  }
});

test('without an internal token everybody is trusted, and only requests with scopes are held to them', () => {
  const inDevelopment = (headers: Record<string, string>) => {
    try {
      createScopeCheck([])(needing('agents:read'), { headers } as unknown as Request);
      return 'passes';
    } catch {
      return 'refused';
    }
  };
  expect(inDevelopment({})).toBe('passes');
  expect(inDevelopment({ 'x-fleet-principal': 'user:a' })).toBe('passes');
  expect(inDevelopment(ofRole('viewer'))).toBe('passes');
  expect(inDevelopment({ 'x-fleet-principal': 'user:a', 'x-fleet-scopes': '' })).toBe('refused');
  expect(inDevelopment({ 'x-fleet-scopes': 'agents:read' })).toBe('refused');
});
