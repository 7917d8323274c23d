import { unauthenticated } from '../unauthenticated.ts';
import type { Principal } from './principal.ts';
import type { AuthenticationScheme } from './scheme.ts';

const HEADER = 'authorization';
const PREFIX = 'bearer ';

/** An access token (RFC 6750 section 2.1) from `POST /token`. */
export const bearerScheme: AuthenticationScheme = {
  name: 'bearer',
  header: 'Authorization',
  securityScheme: {
    type: 'oauth2',
    description: 'A token from `POST /token`, sent as `Authorization: Bearer …`.',
    flows: { password: { tokenUrl: '/token', scopes: {} } },
  },
  createVerifier: ({ bearerTokens }) => ({
    verify(header, { rawHeaders }) {
      const token = readToken(header, rawHeaders);
      const user = token === undefined ? undefined : bearerTokens.verify(token);
      return user instanceof Promise ? user.then(requireUser) : requireUser(user);
    },
    isKnown(header, { rawHeaders }) {
      const token = readToken(header, rawHeaders);
      return token !== undefined && bearerTokens.isKnown(token);
    },
  }),
};

function requireUser(user: Principal | undefined): Principal {
  if (!user) throw unauthenticated();
  return user;
}

/** The token of a single `Authorization: Bearer …` header, the scheme in any case; undefined for anything else. */
function readToken(header: string, rawHeaders: readonly string[]): string | undefined {
  if (header.slice(0, PREFIX.length).toLowerCase() !== PREFIX || isRepeated(rawHeaders)) return undefined;
  return header.slice(PREFIX.length).trim();
}

/** Node keeps the first of two Authorization headers and drops the other. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let times = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === HEADER.length && name.toLowerCase() === HEADER) times++;
  }
  return times > 1;
}
