import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts what agents know, which Redis and its backups would have in plain text. */
export interface SessionCipher {
  /** `task`: authenticated with it, so that it cannot be moved to another one. */
  encrypt(data: string, task: string): string;
  /** Null when none of the keys fits. */
  decrypt(encrypted: string, task: string): string | null;
}

/** AES-256-GCM with the first of the keys, which is the present one; others only decrypt. Undefined without a key. */
export function createSessionCipher(keys: readonly Buffer[]): SessionCipher | undefined {
  const [present] = keys;
  if (!present) return undefined;
  return {
    encrypt(data, task) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, present, nonce).setAAD(Buffer.from(task));
      const encrypted = [cipher.update(Buffer.from(data, 'base64')), cipher.final()];
      return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64');
    },

    decrypt(encrypted, task) {
      const bytes = Buffer.from(encrypted, 'base64');
      for (const key of keys) {
        try {
          const cipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(task));
          cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
          const data = [cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()];
          return Buffer.concat(data).toString('base64');
        } catch {
          // Another key may fit.
        }
      }
      return null;
    },
  };
}
