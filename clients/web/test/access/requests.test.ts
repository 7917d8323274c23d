import { describe, expect, test } from '@jest/globals';
import { accessRequests } from '../../src/requests/access.ts';

function first(address: string, role = 'admin'): string[] {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  return accessRequests(searchParams, pathname.split('/').slice(2), role);
}

describe('the first requests', () => {
  test('are the users for an admin, and the keys for all others', () => {
    expect(first('/console/access')).toEqual(['/users?skip=0&limit=50']);
    for (const role of ['viewer', 'operator', '1', '']) {
      expect(first('/console/access', role)).toEqual(['/api-keys?skip=0&limit=50']);
    }
  });

  test('are those of the part that the address names', () => {
    expect(first('/console/access/keys?skip=100')).toEqual(['/api-keys?skip=100&limit=50']);
    expect(first('/console/access/sessions')).toEqual(['/sessions?limit=100']);
    expect(first('/console/access/sessions?user_id=u%201')).toEqual(['/sessions?limit=100&user_id=u+1']);
    expect(first('/console/access/account')).toEqual(['/users/me']);
    expect(first('/console/access/nothing')).toEqual([]);
  });

  test('are the newest audit events that match, and none for those who may not read them', () => {
    expect(first('/console/access/audit')).toEqual(['/audit-events?order=desc&limit=50']);
    const filtered = '/console/access/audit?action=key.*&actor=&after=x&other=1';
    expect(first(filtered)).toEqual(['/audit-events?action=key.*&after=x&order=desc&limit=50']);
    expect(first('/console/access/audit', 'viewer')).toEqual([]);
  });
});
