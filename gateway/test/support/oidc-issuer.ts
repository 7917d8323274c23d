import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { jest } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Configuration, JWK as IssuerJwk, Provider } from 'oidc-provider';
import { startRawUpstreamServer } from './proxy.ts';

export const AUDIENCE = 'https://fleet.example';
export const CLIENT_ID = 'a-worker';
const CLIENT_SECRET = 'the secret of a-worker';

interface IssuerOptions {
  /** Of an issuer that was stopped: a restart. By default a free one. */
  port?: number;
  keys?: JWK[];
  ttlSeconds?: number;
}

export type RunningIssuer = Awaited<ReturnType<typeof startOidcIssuer>>;

/** A private signing key. */
export async function createSigningJwk(kid: string, alg = 'RS256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
}

/** Runs a real OpenID provider on 127.0.0.1, which issues JWT access tokens to one client. */
export async function startOidcIssuer({ port = 0, keys, ttlSeconds = 600 }: IssuerOptions = {}) {
  const signingKeys = keys ?? [await createSigningJwk('first')];
  const [{ alg }] = signingKeys as [JWK];
  let claims: JWTPayload = {};
  const server = await serveOnLoopback((req, res) => provider.callback()(req, res), port);
  const provider = await createProvider(server.url, {
    jwks: { keys: signingKeys as IssuerJwk[] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: alg as 'RS256',
      },
    ],
    ttl: { ClientCredentials: ttlSeconds },
    extraTokenClaims: () => claims,
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, audience) => ({
          scope: '',
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: alg as 'RS256' } },
        }),
      },
    },
  });
  return {
    ...server,
    keys: signingKeys,
    /** An access token with these further claims. */
    async issue(further: JWTPayload = {}, resource = AUDIENCE): Promise<string> {
      claims = further;
      const response = await fetch(`${server.url}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa([CLIENT_ID, CLIENT_SECRET].map(encodeURIComponent).join(':'))}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource }),
      });
      const body = (await response.json()) as { access_token?: string };
      if (!body.access_token) throw new Error(`the issuer responded with ${response.status} ${JSON.stringify(body)}`);
      return body.access_token;
    },
    /** A token that the provider would not issue, signed with the first of its keys. */
    forge: (claims: JWTPayload = {}, header: Record<string, unknown> = {}) =>
      forgeToken(signingKeys[0] as JWK, { iss: server.url, ...claims }, header),
  };
}

/** It warns about its storage in memory, and about Node versions without long-term support. */
async function createProvider(url: string, configuration: Configuration): Promise<Provider> {
  const warnings = jest.spyOn(console, 'warn').mockImplementation(() => {});
  try {
    const { Provider } = await import('oidc-provider');
    return new Provider(url, configuration);
  } finally {
    warnings.mockRestore();
  }
}

/** A token that is valid but for `claims` and `header`; a claim that is undefined is left out. */
export function forgeToken(key: JWK, claims: JWTPayload, header: Record<string, unknown> = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ sub: CLIENT_ID, aud: AUDIENCE, iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg: key.alg as string, kid: key.kid as string, typ: 'at+jwt', ...header })
    .sign(key, { crit: { 'urn:example:unknown': false } });
}

/** An HTTP server on 127.0.0.1 that notes the path of every request. */
export async function serveOnLoopback(listener: RequestListener, port = 0) {
  const paths: string[] = [];
  const note: RequestListener = (req, res) => {
    paths.push(req.url ?? '');
    listener(req, res);
  };
  const { server, close, ...address } = await startRawUpstreamServer(note, '127.0.0.1', port);
  async function stop(): Promise<void> {
    const closed = once(server, 'close');
    close();
    await closed;
  }
  const onConnection = (listener: () => void) => server.on('connection', listener);
  return { ...address, paths, onConnection, stop };
}
