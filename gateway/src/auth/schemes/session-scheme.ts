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
        if (!SAFE_METHODS.has(req.method) && !isSameOrigin(req)) {
          throw httpError('forbidden', 'A session may only be used from the same origin');
        }
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

/** Whether a page of the gateway itself sends the request, not one of another origin (cross-site request forgery). */
function isSameOrigin({ headers }: Pick<Request, 'headers'>): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  return headers.origin !== undefined && URL.parse(headers.origin)?.host === headers.host;
}
