import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { digestOfSecret } from '@agent-fleet/access/api-key-text';
import type { SigningKey } from '@agent-fleet/access/tokens/signing-key';

const ID_BYTES = 16;
const SECRET_BYTES = 32;
const MAC_BYTES = 16;
/** 64 bytes in canonical base64url. */
const SHAPE = /^[\w-]{85}[AQgw]$/;

/** A text in the form of a refresh token. */
export interface RefreshToken {
  text: string;
  /** SHA-256 of the text, in hex: what a session stores. */
  digest: string;
  sessionId: string;
  /** Whether its MAC shows that we made it, with the present key. */
  isOurs: boolean;
  secret: Buffer;
}

export type RefreshTokens = ReturnType<typeof createRefreshTokens>;

/**
 * Refresh tokens: base64url of the id of the session, 256 secret bits, and a MAC of both. The MAC tells an old token of
 * a session from a forged one without a record of each. The successor of a token follows from it and a key, so that
 * the same token gets the same successor again without it being stored. Both keys derive from the one that signs access
 * tokens (HKDF, RFC 5869).
 */
export function createRefreshTokens({ sign }: Pick<SigningKey, 'sign'>) {
  const material = sign.type === 'secret' ? sign.export() : sign.export({ type: 'pkcs8', format: 'der' });
  const macKey = deriveKey(material, 'agent-fleet refresh token');
  const successorKey = deriveKey(material, 'agent-fleet refresh token successor');

  function toToken(sessionId: string, secret: Buffer): RefreshToken {
    const body = Buffer.concat([toBytes(sessionId), secret]);
    const text = Buffer.concat([body, macOf(body)]).toString('base64url');
    return { text, digest: digestOfSecret(text), sessionId, isOurs: true, secret };
  }

  function macOf(body: Buffer): Buffer {
    return createHmac('sha256', macKey).update(body).digest().subarray(0, MAC_BYTES);
  }

  return {
    create: (sessionId: string): RefreshToken => toToken(sessionId, randomBytes(SECRET_BYTES)),

    /** Undefined for a text in any other form. */
    parse(text: string): RefreshToken | undefined {
      if (!SHAPE.test(text)) return undefined;
      const bytes = Buffer.from(text, 'base64url');
      const body = bytes.subarray(0, ID_BYTES + SECRET_BYTES);
      const isOurs = timingSafeEqual(macOf(body), bytes.subarray(body.length));
      const secret = body.subarray(ID_BYTES);
      return { text, digest: digestOfSecret(text), sessionId: toId(bytes.subarray(0, ID_BYTES)), isOurs, secret };
    },

    /** The token that replaces this one, always the same. */
    successorOf({ sessionId, secret }: RefreshToken): RefreshToken {
      const hmac = createHmac('sha256', successorKey).update(toBytes(sessionId)).update(secret);
      return toToken(sessionId, hmac.digest());
    },
  };
}

function deriveKey(material: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', material, '', info, 32));
}

function toBytes(sessionId: string): Buffer {
  return Buffer.from(sessionId.replaceAll('-', ''), 'hex');
}

function toId(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
