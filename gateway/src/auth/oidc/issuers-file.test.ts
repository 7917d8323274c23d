import { describe, expect, test } from '@jest/globals';
import { parseOidcIssuers } from './issuers-file.ts';

const CORP = {
  name: 'corp',
  issuer: 'https://id.example/realms/corp',
  audience: 'https://fleet.example',
  algorithms: ['RS256', 'ES256'],
  role_claim: 'realm_access.roles',
  roles: { 'fleet-admin': 'admin', 'fleet-viewer': 'viewer' },
};

const parse = (entries: unknown, allowInsecure = false) => parseOidcIssuers(JSON.stringify(entries), { allowInsecure });

test('reads issuers', () => {
  const partner = { ...CORP, name: 'partner', issuer: 'https://partner.example/', audience: ['a', 'b'] };
  expect(parse([CORP, partner])).toEqual([CORP, partner]);
});

test('accepts http and private addresses only with permission', () => {
  const local = { ...CORP, issuer: 'http://127.0.0.1:9000' };
  expect(parse([local], true)).toEqual([local]);
  expect(() => parse([local])).toThrow('entry 1: issuer: must be an https:// URL');
});

describe('refuses', () => {
  test.each<[Record<string, unknown>, string]>([
    [{ name: 'a:b' }, 'entry 1: name: must be 1 to 64'],
    [{ name: '' }, 'entry 1: name: '],
    [{ issuer: 'https://192.168.0.1' }, 'entry 1: issuer: must not name the private address'],
    [{ issuer: 'https://id.example/?x' }, 'entry 1: issuer: must be a URL without a query'],
    [{ issuer: 'id.example' }, 'entry 1: issuer: must be an https:// URL'],
    [{ audience: '' }, 'entry 1: audience: '],
    [{ audience: [] }, 'entry 1: audience: '],
    [{ algorithms: [] }, 'entry 1: algorithms: '],
    [{ algorithms: ['RS256', 'HS256'] }, 'entry 1: algorithms.1: '],
    [{ algorithms: ['none'] }, 'entry 1: algorithms.0: '],
    [{ algorithms: undefined }, 'entry 1: algorithms: '],
    [{ role_claim: '' }, 'entry 1: role_claim: '],
    [{ roles: {} }, 'entry 1: roles: must map at least one value'],
    [{ roles: { x: 'root' } }, 'entry 1: roles.x: '],
    [{ roles: ['admin'] }, 'entry 1: roles: '],
    [{ secret: 'x' }, 'entry 1: Unrecognized key: "secret"'],
  ])('%j', (changes, problem) => {
    expect(() => parse([{ ...CORP, ...changes }])).toThrow(problem);
  });

  test.each([
    ['not JSON', '[', 'must hold JSON'],
    ['an object', '{}', 'must hold a list of 1 to 20 issuers'],
    ['an empty list', '[]', 'must hold a list of 1 to 20 issuers'],
    ['a list of texts', '["x"]', 'entry 1: '],
    ['too many issuers', JSON.stringify(Array(21).fill(CORP)), 'must hold a list of 1 to 20 issuers'],
  ])('%s', (_title, json, problem) => {
    expect(() => parseOidcIssuers(json, { allowInsecure: false })).toThrow(problem);
  });

  test('two issuers of one name or URL', () => {
    expect(() => parse([CORP, { ...CORP, issuer: 'https://b.example' }])).toThrow('duplicate name: corp');
    expect(() => parse([CORP, { ...CORP, name: 'b' }])).toThrow(`duplicate issuer: ${CORP.issuer}`);
  });

  test('several problems at once, naming each', () => {
    const wrong = [
      { ...CORP, name: '' },
      { ...CORP, role_claim: 7 },
    ];
    expect(() => parse(wrong)).toThrow(/entry 1: name: .+; entry 2: role_claim: /);
  });
});

test('a value named __proto__ does not change how others are mapped', () => {
  const text = JSON.stringify([CORP]).replace('"fleet-admin"', '"__proto__"');
  const [issuer] = parseOidcIssuers(text, { allowInsecure: false });
  expect(Object.getPrototypeOf(issuer?.roles)).not.toBe('admin');
  expect(issuer?.roles['fleet-viewer']).toBe('viewer');
});
