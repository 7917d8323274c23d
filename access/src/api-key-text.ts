import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = /^afk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/;

/**
 * Creates the text of an API key: `afk_<12 base62>_<32 base62><6 base62 of the CRC-32 of all before>`, as GitHub writes
 * its tokens: secret scanners recognise it, and a typo is found without a look-up. The secret has 190 bits.
 */
export function createApiKeyText(): string {
  const start = `afk_${randomDigits(ID_LENGTH)}_${randomDigits(SECRET_LENGTH)}`;
  return start + checksumOf(start);
}

/** Whether a text has the form and the checksum of an API key. */
export function isApiKeyText(text: string): boolean {
  return SHAPE.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** SHA-256 in hex: how secrets with enough entropy are stored. */
export function digestOfSecret(text: string): string {
  return hash('sha256', text);
}

/** Without the bytes that would make some digits more frequent. */
function randomDigits(length: number): string {
  let digits = '';
  while (digits.length < length) {
    for (const byte of randomBytes(length)) if (byte < 248) digits += DIGITS[byte % 62];
  }
  return digits.slice(0, length);
}

/** CRC-32 (ISO-HDLC) in base62, the most significant digit first. */
function checksumOf(text: string): string {
  let digits = '';
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62)) digits = DIGITS[rest % 62] + digits;
  return digits.padStart(CHECKSUM_LENGTH, '0');
}
