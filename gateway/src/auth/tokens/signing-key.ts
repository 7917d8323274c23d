import { createHmac, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { thumbprintOf } from './jwks.ts';

/**
 * A key by which tokens are checked, with the one algorithm it is for (RFC 8725 section 3.1). Keys are parsed once: with a text instead,
 * jsonwebtoken tries to parse it on each call (749 µs against 27 µs).
 */
export interface VerificationKey {
  /** The `kid` of its tokens: the RFC 7638 thumbprint of a public key. */
  id: string;
  algorithm: 'HS256' | 'RS256' | 'ES256';
  /** A secret or a public key, never a private one. */
  verify: KeyObject;
}

export interface SigningKey extends VerificationKey {
  sign: KeyObject;
}

const MIN_SECRET_BYTES = 32;
const MIN_RSA_BITS = 2048;
const ID_BYTES = 12;

/** An HS256 key. @throws Error when the secret has less than 32 bytes (RFC 7518 section 3.2), or is no secret but a key in PEM form */
export function fromSecret(secret: string): SigningKey {
  const bytes = Buffer.from(secret);
  if (bytes.length < MIN_SECRET_BYTES) throw new Error(`must have at least ${MIN_SECRET_BYTES} bytes`);
  // A public key as a secret would let everyone sign.
  if (secret.includes('-----BEGIN ')) throw new Error('must be a secret, not a key in PEM form: give its file instead');
  const key = createSecretKey(bytes);
  return { id: idOfSecret(key), algorithm: 'HS256', sign: key, verify: key };
}

/** Stable and short. A thumbprint would be a plain hash of the secret; this tells no more than any token signed with it. */
function idOfSecret(key: KeyObject): string {
  return createHmac('sha256', key).update('agent-fleet key id').digest().subarray(0, ID_BYTES).toString('base64url');
}

/** An RS256 or ES256 key from a PEM private key. @throws Error when it is neither */
export function fromPem(pem: Buffer): SigningKey {
  const sign = parse(pem, createPrivateKey, 'must hold a private key in PEM form, without a passphrase');
  return { ...toVerificationKey(createPublicKey(sign)), sign };
}

/** The same to verify by only, from a PEM public or private key. @throws Error when it is neither RSA of 2048 bits nor P-256 */
export function fromPublicPem(pem: Buffer): VerificationKey {
  return toVerificationKey(parse(pem, createPublicKey, 'must hold a public or private key in PEM form'));
}

function parse(pem: Buffer, create: (pem: Buffer) => KeyObject, problem: string): KeyObject {
  try {
    return create(pem);
  } catch (error) {
    throw new Error(problem, { cause: error });
  }
}

function toVerificationKey(verify: KeyObject): VerificationKey {
  const { modulusLength = 0, namedCurve } = verify.asymmetricKeyDetails ?? {};
  const isRsa = verify.asymmetricKeyType === 'rsa' && modulusLength >= MIN_RSA_BITS;
  const isP256 = verify.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1';
  if (!isRsa && !isP256) throw new Error(`must hold an RSA key of at least ${MIN_RSA_BITS} bits or a P-256 key`);
  return { id: thumbprintOf(verify), algorithm: isRsa ? 'RS256' : 'ES256', verify };
}
