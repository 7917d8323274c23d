import { describe, expect, test } from '@jest/globals';
import {
  ecKey,
  forge,
  goodClaims,
  keySigner,
  nowSeconds,
  rsaKey,
  type Signer,
  secretSigner,
  withSpareBits,
} from '../testing/forge.ts';

/** Attacks on JWS and JWT verifiers, as collected by project Wycheproof. Each forged token has a valid signature. */

const SIGNERS = [
  secretSigner('a secret of at least thirty-two bytes'),
  keySigner(rsaKey()),
  keySigner(ecKey()),
] as const;

type Forged = (signer: Signer) => string;

const BAD_ALGORITHMS = [
  ...['none', 'None', 'nONE', 'NONE', '', ' none', undefined, null, 0, true, ['HS256'], { alg: 'HS256' }],
  ...['HS384', 'HS512', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES384', 'ES512', 'ES256K', 'EdDSA', 'RSA1_5'],
  ...['hs256', 'rs256', 'es256', 'HS256 ', 'RS256\0', 'ES256,none', 'dir'],
];

/** Header parameters that change how a token is read, or supply a key in the token. */
const BAD_PARAMETERS: Record<string, unknown>[] = [
  ...[{ crit: ['exp'] }, { crit: ['b64'], b64: false }, { crit: [] }, { crit: null }, { crit: 'exp' }, { crit: {} }],
  ...[{ b64: false }, { b64: true }, { zip: 'DEF' }, { enc: 'A128GCM' }, { alg: 'dir', enc: 'A256GCM' }],
  ...[{ jku: 'https://evil.example/jwks.json' }, { jku: null }, { x5u: 'https://evil.example/cert.pem' }],
  ...[{ jwk: { kty: 'oct', k: 'AAAA' } }, { x5c: ['MIIB'] }, { x5t: 'AAAA' }, { 'x5t#S256': 'AAAA' }],
  ...[{ kid: 'any' }, { kid: '' }, { kid: null }, { kid: 0 }, { kid: ['x'] }, { kid: {} }, { kid: '../../dev/null' }],
  ...[{ kid: "' OR 1=1 --" }, { kid: '/dev/null' }, { kid: '__proto__' }, { kid: 'https://evil.example/key' }],
  ...[{ typ: 'JWE' }, { typ: 'JOSE' }, { typ: 'JOSE+JSON' }, { typ: 'id+jwt' }, { typ: 7 }, { typ: null }, { typ: '' }],
];

/** `ALG` stands for the signer's own algorithm. */
const BAD_HEADERS: [string, string | Buffer][] = [
  ['alg twice, none first', '{"alg":"none","alg":"ALG"}'],
  ['alg twice, none last', '{"alg":"ALG","alg":"none"}'],
  ['alg twice, the same', '{"alg":"ALG","alg":"ALG"}'],
  ['alg twice, once in escapes', '{"alg":"ALG","\\u0061lg":"ALG"}'],
  ['alg twice with blanks before the colon', '{"alg" \n: "ALG", "alg"\t:"ALG"}'],
  ['a name twice in an object within', '{"alg":"ALG","x":[{"a":1,"a":"\\":"}]}'],
  ['alg by way of a prototype', '{"__proto__":{"alg":"ALG"}}'],
  ['a byte order mark', '\ufeff{"alg":"ALG"}'],
  ['a list', '[{"alg":"ALG"}]'],
  ['a text', '"ALG"'],
  ['null', 'null'],
  ['a number', '7'],
  ['an empty object', '{}'],
  ['nothing', ''],
  ['text that is not JSON', "{'alg':'ALG'}"],
  ['JSON and more', '{"alg":"ALG"}{}'],
  ['a comma too many', '{"alg":"ALG",}'],
  ['NUL at its end', '{"alg":"ALG"}\0'],
  ['bytes that are not UTF-8', Buffer.from('{"alg":"ALG","x":"\xff"}', 'latin1')],
  ['UTF-16', Buffer.from('{"alg":"ALG"}', 'utf16le')],
  ['two thousand levels', `{"alg":"ALG","x":${'['.repeat(2_000)}${']'.repeat(1_999)}}`],
];

const claims = (change: object = {}) => JSON.stringify({ ...goodClaims(), ...change });
const BAD_PAYLOADS: [string, () => string | Buffer][] = [
  ['sub twice', () => claims().replace('{', '{"sub":"root@b.example",')],
  ['sub twice, once in escapes', () => claims().replace('{', '{"\\u0073ub":"root@b.example",')],
  ['exp twice', () => claims().replace('{', '{"exp":1,')],
  ['a list', () => `[${claims()}]`],
  ['null', () => 'null'],
  ['a text', () => JSON.stringify(claims())],
  ['nothing', () => ''],
  ['no JSON', () => claims().slice(0, -1)],
  ['JSON and more', () => `${claims()} x`],
  ['a byte order mark', () => `\ufeff${claims()}`],
  ['bytes that are not UTF-8', () => Buffer.from(claims({ sub: 'a@b.example\xff' }), 'latin1')],
  ['an exp of NaN', () => claims({ exp: 'N' }).replace('"N"', 'NaN')],
  ['an infinite exp', () => claims({ exp: 'N' }).replace('"N"', '1e999')],
  ['an iat of minus infinity', () => claims({ iat: 'N' }).replace('"N"', '-1e999')],
];

const BAD_CLAIMS: Record<string, unknown[]> = {
  sub: [undefined, '', 7, ['a@b.example'], { email: 'a@b.example' }],
  iss: [undefined, 'elsewhere', ['agent-fleet'], 'agent-fleet/'],
  aud: [
    ...[undefined, ['elsewhere', 'agent-fleet-2'], [['agent-fleet']], ['agent-fleet', 7], { 0: 'agent-fleet' }, []],
    ...['AGENT-FLEET', 'agent-fleet agent-fleet'],
  ],
  exp: [undefined, String(nowSeconds() + 600), Date.now() + 60_000, 1e300, -nowSeconds(), 0, true, null],
  iat: [undefined, 'now', -1, true],
  nbf: ['now', null, Date.now()],
  ...Object.fromEntries(['jti', 'sid', 'uid'].map((claim) => [claim, [undefined, '', 7, null, true, ['a'], {}]])),
  scope: [undefined, 7, null, true, ['a'], {}],
  auth_time_ms: [undefined, '1', null, true, [1], {}],
};

const BAD_TIMES: Record<string, () => object> = {
  'an iat in the future': () => ({ iat: nowSeconds() + 40 }),
  'an nbf in the future': () => ({ nbf: nowSeconds() + 40 }),
  'an exp before the leeway': () => ({ exp: nowSeconds() - 31 }),
  'an exp in a list': () => ({ exp: [nowSeconds() + 60] }),
};

const onPart = (at: number, change: (part: string) => string) => (token: string) =>
  token
    .split('.')
    .with(at, change(token.split('.')[at] as string))
    .join('.');
const BAD_FORMS: Record<string, (token: string) => string> = {
  'padding behind the signature': (token) => `${token}${'='.repeat(4 - ((token.split('.')[2] as string).length % 4))}`,
  'unused bits of the signature that are set': onPart(2, withSpareBits),
  'a blank before it': (token) => ` ${token}`,
  'a blank behind it': (token) => `${token} `,
  'a line break behind it': (token) => `${token}\n`,
  'a line break in it': (token) => token.replace('.', '.\n'),
  'a tab in its signature': onPart(2, (part) => `${part.slice(0, 8)}\t${part.slice(8)}`),
  'NUL behind it': (token) => `${token}\0`,
  'NUL in its signature': onPart(2, (part) => `${part.slice(0, 8)}\0${part.slice(8)}`),
  'a character beyond ASCII': (token) => `${token}\u0141`,
  nothing: () => '',
  'five dots': () => '....',
  'one part': (token) => token.split('.')[0] as string,
  'two parts': (token) => token.slice(0, token.lastIndexOf('.')),
  'an empty fourth part': (token) => `${token}.`,
  'four parts': (token) => `${token}.c2ln`,
  'five parts, as a JWE has': (token) => `${token}.c2ln.c2ln`,
  'a dot before it': (token) => `.${token}`,
  'no header': onPart(0, () => ''),
  'no payload, as in a detached JWS': onPart(1, () => ''),
  'escaped dots': (token) => token.replaceAll('.', '%2E'),
  'its scheme before it': (token) => `Bearer ${token}`,
  'JSON serialisation, flattened': (token) => {
    const [header, payload, signature] = token.split('.');
    return JSON.stringify({ protected: header, payload, signature });
  },
  'JSON serialisation, general': (token) => {
    const [header, payload, signature] = token.split('.');
    return JSON.stringify({ payload, signatures: [{ protected: header, signature }] });
  },
};

/** Other encodings of the same bytes, such as standard base64, signed as written. */
const BAD_SPELLINGS: Record<string, Forged> = {
  'the other alphabet in the payload': (signer) =>
    forge(signer, {
      payload: { x: '???>>>~~~' },
      write: { payload: (part) => part.replaceAll('_', '/').replaceAll('-', '+') },
    }),
  'padding behind the payload': (signer) =>
    forge(signer, { payload: padded(), write: { payload: (part) => `${part}==` } }),
  'padding behind the header': (signer) => forge(signer, { write: { header: (part) => `${part}=` } }),
  'unused bits of the payload that are set': (signer) =>
    forge(signer, { payload: padded(), write: { payload: withSpareBits } }),
  'two unused bits of the payload that are set': (signer) =>
    forge(signer, { payload: ofLength(2), write: { payload: withSpareBits } }),
  'a blank in the payload': (signer) =>
    forge(signer, { write: { payload: (part) => `${part.slice(0, 8)} ${part.slice(8)}` } }),
  'a character too many in the payload': (signer) =>
    forge(signer, { payload: whole(), write: { payload: (part) => `${part}A` } }),
  'more than 8 KiB': (signer) => forge(signer, { payload: { x: 'x'.repeat(8_192) } }),
};

/** Times as written by clocks that differ by 25 s. */
const skewed = () => ({ iat: nowSeconds() + 25, nbf: nowSeconds() + 25, exp: nowSeconds() - 25 });

/** Valid claims as JSON of a length that leaves one byte, or none, for the last group of base64. */
const ofLength = (rest: number) => claims() + ' '.repeat((rest + 3 - (claims().length % 3)) % 3);
const padded = () => ofLength(1);
const whole = () => ofLength(0);

describe.each(SIGNERS)('with $algorithm', (signer) => {
  const { tokens } = signer;
  const expectRefused = (token: string) => expect(tokens.verify(token)).toBeUndefined();

  test.each<[string, Parameters<typeof forge>[1]]>([
    ['nothing odd', {}],
    ['its kid', { header: { kid: signer.key.id } }],
    ['an unknown parameter', { header: { private: true } }],
    ['the typ jwt', { header: { typ: 'jwt' } }],
    ['the typ at+jwt', { header: { typ: 'at+jwt' } }],
    ['clocks that differ by less than 30 s', { payload: skewed() }],
    ['only alg in its header', { header: JSON.stringify({ alg: signer.algorithm }) }],
    ['our aud among others', { payload: { aud: ['elsewhere', 'agent-fleet'] } }],
    ['an exp with a fraction', { payload: { exp: nowSeconds() + 60.5 } }],
    [
      'claims within claims, and blanks',
      { payload: JSON.stringify({ ...goodClaims(), x: [{ y: { z: ':"a":' } }] }, null, 2) },
    ],
    ['one byte in the last group of base64', { payload: padded() }],
    ['a full last group of base64', { payload: whole() }],
    ['two bytes in the last group of base64', { payload: ofLength(2) }],
    ['6 KiB', { payload: { x: 'x'.repeat(4_500) } }],
  ])('accepts a valid token with %s', (_what, forgery) => {
    expect(tokens.verify(forge(signer, forgery))?.subject).toBe('a@b.example');
  });

  const others = ['HS256', 'RS256', 'ES256'].filter((algorithm) => algorithm !== signer.algorithm);
  test.each([...BAD_ALGORITHMS, ...others].map((alg) => [alg]))('refuses alg %j, signed and not', (alg) => {
    const token = forge(signer, { header: { alg } });
    expectRefused(token);
    expectRefused(onPart(2, () => '')(token));
  });

  test.each(BAD_PARAMETERS.map((header) => [header]))('refuses the header %j', (header) => {
    expectRefused(forge(signer, { header }));
  });

  test.each(BAD_HEADERS)('refuses a header of %s', (_what, header) => {
    const own = Buffer.from(header.toString('latin1').replaceAll('ALG', signer.algorithm), 'latin1');
    expectRefused(
      forge(signer, { header: typeof header === 'string' ? header.replaceAll('ALG', signer.algorithm) : own }),
    );
  });

  test.each(BAD_PAYLOADS)('refuses a payload with %s', (_what, payload) => {
    expectRefused(forge(signer, { payload: payload() }));
  });

  const badClaims = Object.entries(BAD_CLAIMS).flatMap(([claim, values]) =>
    values.map((value) => [claim, value] as const),
  );
  test.each(badClaims)('refuses the claim %s with the value %j', (claim, value) => {
    expectRefused(forge(signer, { payload: { [claim]: value } }));
  });

  test.each(Object.entries(BAD_TIMES))('refuses %s', (_what, payload) => {
    expectRefused(forge(signer, { payload: payload() }));
  });

  test.each(Object.entries(BAD_FORMS))('refuses a malformed token: %s', (_what, change) => {
    expectRefused(change(forge(signer)));
  });

  test.each(Object.entries(BAD_SPELLINGS))('refuses %s', (_what, forged) => {
    expectRefused(forged(signer));
  });
});
