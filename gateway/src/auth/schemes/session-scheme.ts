import type { TLSSocket } from 'node:tls';
import { scopesOf } from '@agent-fleet/shared/contract/scopes';
import { httpError } from '@agent-fleet/shared/http/errors';
import type { Request, Response } from 'express';
import type { Found } from '../credentials/credential-cache.ts';
import { toPrincipal } from './principal.ts';
import {
  type AuthenticationScheme,
  isSignedIn,
  requireUser,
  unauthenticated,
  type VerifierDependencies,
} from './scheme.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** 256 bits in base64url. */
const COOKIE = /^[\w-]{43}$/;

/** The session of a browser, from `POST /session`, in a cookie. Credentials in headers go before it. */
export const sessionScheme: AuthenticationScheme = {
  name: 'session',
  header: 'Cookie',
  isFallback: true,
  createVerifier(dependencies) {
    const cache = dependencies.createCache();
    return {
      credentialIn: readCookie,
      verify(cookie, req, res) {
        if (!SAFE_METHODS.has(req.method)) requireOwnPage(req, res);
        const kept = cache.get(cookie);
        if (kept) return kept;
        if (!COOKIE.test(cookie)) throw unauthenticated();
        return cache.lookUp(cookie, () => lookUp(dependencies, cookie, res)).then(requireUser);
      },
      isKnown: (cookie) => cache.isKnown(cookie),
    };
  },
};

async function lookUp(
  { records, audit }: VerifierDependencies,
  cookie: string,
  res: Response,
): Promise<Found | undefined> {
  const { session, user } = await records.forCookie(cookie);
  if (session?.kind !== 'browser') return undefined;
  const { id, user_id: userId } = session;
  const expiresAtMs = Date.parse(session.expires_at);
  if (!user || !isSignedIn(user, Date.parse(session.created_at), id) || expiresAtMs <= Date.now()) {
    const actor = { type: 'user', id: userId, name: user?.email ?? null } as const;
    audit.record({ actor, action: 'session.refused', target: { type: 'session', id }, outcome: 'failure' }, res);
    return undefined;
  }
  const principal = toPrincipal({
    actor: { type: 'user', id: user.id, name: user.email },
    uniqueName: user.email,
    scopes: scopesOf(user.role),
    tags: [`user:${user.id}`, `session:${session.id}`],
    sessionId: session.id,
    expiresAtMs,
  });
  return { principal, expiresAtMs };
}

/**
 * Over https only the cookie that no subdomain can set (RFC 6265bis section 4.1.3.2, `__Host-`). Of several with the
 * name, none.
 */
function readCookie({ headers, socket }: Request, { locals }: Response): string | undefined {
  const { cookie } = headers;
  if (cookie === undefined) return undefined;
  const isHttps = (locals.clientProtocol ?? ((socket as TLSSocket).encrypted ? 'https' : 'http')) === 'https';
  const start = isHttps ? '__Host-fleet=' : 'fleet=';
  const found = cookie.split(/; */).filter((pair) => pair.startsWith(start));
  return found.length === 1 ? found[0]?.slice(start.length) : undefined;
}

/**
 * Browsers send `Sec-Fetch-Site` over https and to this machine only.
 * @throws 403 unless a page of the gateway itself sends the request, not one of another origin (cross-site request
 * forgery); programs send neither header
 */
export function requireOwnPage({ headers }: Request, { locals }: Response, mayBeProgram = false): void {
  const site = headers['sec-fetch-site'];
  const isProgram = site === undefined && headers.origin === undefined;
  if (site === 'same-origin' || (mayBeProgram && isProgram)) return;
  const page = headers.origin === undefined ? null : URL.parse(headers.origin);
  const host = locals.clientHost ?? headers.host;
  if (site === undefined && page && page.host === URL.parse(`${page.protocol}//${host}`)?.host) return;
  const isHidden = site === undefined && page;
  throw httpError('forbidden', isHidden ? `${OTHER_ORIGIN}: ${hiddenBy(page.origin, host)}` : OTHER_ORIGIN);
}

const OTHER_ORIGIN = 'A session may only be used from the same origin';

function hiddenBy(page: string, host = ''): string {
  const remedy = 'set PUBLIC_URL to the address of the page, or name in TRUSTED_PROXIES a proxy that sends';
  return `the page is at ${page}, but the request came for ${host}. Behind a proxy, ${remedy} X-Forwarded-Host`;
}
