import { hash, type KeyObject } from 'node:crypto';

/** The members that a public key must have, in the order of RFC 7638 section 3.2. */
const REQUIRED_MEMBERS = { RSA: ['e', 'kty', 'n'], EC: ['crv', 'kty', 'x', 'y'] } as const;

/** The public half of a key as a JWK (RFC 7517), with these members and no others. @throws Error for a secret */
export function toPublicJwk(key: KeyObject): Record<string, string> {
  if (key.type !== 'public') throw new Error('only public keys may be shown');
  const jwk: Record<string, unknown> = { ...key.export({ format: 'jwk' }) };
  const members: readonly string[] = REQUIRED_MEMBERS[jwk.kty === 'RSA' ? 'RSA' : 'EC'];
  return Object.fromEntries(members.map((member) => [member, String(jwk[member])]));
}

/** A public key's SHA-256 thumbprint (RFC 7638). */
export function thumbprintOf(key: KeyObject): string {
  return hash('sha256', JSON.stringify(toPublicJwk(key)), 'base64url');
}
