import { etagOf } from '../http/etag.ts';
import { toPublicJwk } from './public-jwk.ts';
import type { VerificationKey } from './signing-key.ts';

/** The JWK Set (RFC 7517 section 5) of the public keys, as JSON with its entity tag; secrets are left out. */
export function createJwks(verificationKeys: readonly VerificationKey[]): { text: string; etag: string } {
  const keys = verificationKeys
    .filter(({ verify }) => verify.type === 'public')
    .map(({ id, algorithm, verify }) => ({ ...toPublicJwk(verify), use: 'sig', alg: algorithm, kid: id }));
  const text = JSON.stringify({ keys });
  return { text, etag: etagOf(text) };
}
