import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { fromPem, fromSecret, type SigningKey } from '../tokens/signing-key.ts';
import { createTokens, type Tokens } from '../tokens/token.ts';

export const SETTINGS = { issuer: 'agent-fleet', audience: 'agent-fleet', ttlSeconds: 60 };
const SUBJECT = 'a@b.example';

type SignBytes = (text: string) => Buffer;

/**
 * An algorithm of the gateway with a key of the tests, good tokens, and a function that signs any text with that key.
 */
export interface Signer {
  algorithm: SigningKey['algorithm'];
  key: SigningKey;
  tokens: Tokens;
  signBytes: SignBytes;
}

function toSigner(key: SigningKey, signBytes: SignBytes): Signer {
  return { algorithm: key.algorithm, key, tokens: createTokens(key, SETTINGS), signBytes };
}

export const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
export const ecKey = (namedCurve = 'P-256') => generateKeyPairSync('ec', { namedCurve }).privateKey;
export const toPem = (key: KeyObject) => String(key.export({ type: 'pkcs8', format: 'pem' }));
/** The signer of the public half of a private key. */
export const toPublicPem = (key: KeyObject) => String(createPublicKey(key).export({ type: 'spki', format: 'pem' }));

export function secretSigner(secret: string): Signer {
  return toSigner(fromSecret(secret), (text) => createHmac('sha256', secret).update(text).digest());
}

/** RS256 or ES256, according to the key. */
export function keySigner(key: KeyObject): Signer {
  return toSigner(fromPem(toPem(key)), (text) => signES256orRS256(text, key));
}

function signES256orRS256(text: string, key: KeyObject): Buffer {
  return sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
}

export const nowSeconds = () => Math.floor(Date.now() / 1_000);

export function goodClaims(): Record<string, unknown> {
  const iat = nowSeconds();
  const own = { jti: 'a-token', sid: 'a-session', uid: 'a-user', scope: 'agents:read', auth_time_ms: iat * 1_000 };
  return { sub: SUBJECT, iss: SETTINGS.issuer, aud: SETTINGS.audience, iat, exp: iat + 60, ...own };
}

interface Forgery {
  /** An object is merged into the valid header; a text or bytes replace it. */
  header?: object | string | Buffer;
  /** The same for the valid claims. */
  payload?: object | string | Buffer;
  /** Changes the encoding of a part before it is signed. */
  write?: { header?: (part: string) => string; payload?: (part: string) => string };
  /** Default: the signer's own. */
  signBytes?: SignBytes;
}

/** Encodes and signs any content; a library would refuse some of it. */
export function forge(signer: Signer, { header = {}, payload = {}, write, signBytes }: Forgery = {}): string {
  const same = (part: string) => part;
  const head = (write?.header ?? same)(encode(header, { alg: signer.algorithm, typ: 'JWT' }));
  const body = (write?.payload ?? same)(encode(payload, goodClaims()));
  const text = `${head}.${body}`;
  return `${text}.${(signBytes ?? signer.signBytes)(text).toString('base64url')}`;
}

function encode(part: object | string | Buffer, base: object): string {
  const isRaw = typeof part === 'string' || Buffer.isBuffer(part);
  return Buffer.from(isRaw ? (part as string) : JSON.stringify({ ...base, ...part })).toString('base64url');
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same bytes with another last character of base64url. @throws Error if that character has no unused bits */
export function withSpareBits(part: string): string {
  const other = ALPHABET[ALPHABET.indexOf(part.slice(-1)) ^ 1];
  const written = part.slice(0, -1) + other;
  if (!Buffer.from(written, 'base64url').equals(Buffer.from(part, 'base64url'))) throw new Error('no bits to spare');
  return written;
}
