import { hash, type KeyObject } from 'node:crypto';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { VerificationKey } from './signing-key.ts';

/** The members that a public key must have, in the order of RFC 7638 section 3.2. */
const REQUIRED_MEMBERS = { RSA: ['e', 'kty', 'n'], EC: ['crv', 'kty', 'x', 'y'] } as const;

/** The public half of a key as a JWK (RFC 7517), with these members and no others. @throws Error for a secret */
function toPublicJwk(key: KeyObject): Record<string, string> {
  if (key.type !== 'public') throw new Error('only public keys may be shown');
  const jwk: Record<string, unknown> = { ...key.export({ format: 'jwk' }) };
  const members: readonly string[] = REQUIRED_MEMBERS[jwk.kty === 'RSA' ? 'RSA' : 'EC'];
  return Object.fromEntries(members.map((member) => [member, String(jwk[member])]));
}

/** A public key's SHA-256 thumbprint (RFC 7638). */
export function thumbprintOf(key: KeyObject): string {
  return hash('sha256', JSON.stringify(toPublicJwk(key)), 'base64url');
}

/** The JWK Set (RFC 7517 section 5) of the public keys, as JSON with its entity tag; secrets are left out. */
export function createJwks(verificationKeys: readonly VerificationKey[]): { text: string; etag: string } {
  const keys = verificationKeys
    .filter(({ verify }) => verify.type === 'public')
    .map(({ id, algorithm, verify }) => ({ ...toPublicJwk(verify), use: 'sig', alg: algorithm, kid: id }));
  const text = JSON.stringify({ keys });
  return { text, etag: etagOf(text) };
}
