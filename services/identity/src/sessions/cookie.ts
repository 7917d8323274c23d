import { randomBytes } from 'node:crypto';

const NAME = 'fleet';
/** Browsers accept this prefix only from the host itself, with `Secure` and without `Domain` (RFC 6265bis). */
const SECURE_NAME = '__Host-fleet';
const SECRET_BYTES = 32;

export function createCookieSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** The value of `Set-Cookie` for a new session. */
export function toSetCookie(secret: string, isHttps: boolean): string {
  return isHttps ? toCookie(SECURE_NAME, secret, isHttps) : toCookie(NAME, secret, isHttps);
}

/** The values of `Set-Cookie` that remove the cookie, also that of plain http where a site has moved to https. */
export function toClearCookies(isHttps: boolean): string[] {
  const names = isHttps ? [SECURE_NAME, NAME] : [NAME];
  return names.map((name) => `${toCookie(name, '', isHttps)}; Max-Age=0`);
}

function toCookie(name: string, value: string, isHttps: boolean): string {
  return `${name}=${value}; HttpOnly; ${isHttps ? 'Secure; ' : ''}SameSite=Strict; Path=/`;
}
