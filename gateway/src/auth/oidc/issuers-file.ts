import { ROLE_NAMES, type Role } from '@agent-fleet/shared/contract/scopes';
import { z } from 'zod';
import { parsePublicUrl } from './public-urls.ts';

/** An entry of `OIDC_ISSUERS_FILE`: whose access tokens are good here, and for which roles. */
export interface OidcIssuer {
  /** Ours, for principals and logs. */
  name: string;
  /** Exactly as in `iss` and in the discovery document. */
  issuer: string;
  /** One of these must be in `aud`. */
  audience: string | string[];
  algorithms: string[];
  /** A claim's name or dotted path, for example `realm_access.roles`. */
  role_claim: string;
  /** Our role for a value of that claim. */
  roles: Record<string, Role>;
}

const MAX_ISSUERS = 20;
const MAX_AUDIENCES = 20;
const MAX_ROLES = 1_000;
/** Asymmetric ones only (RFC 8725 section 3.1): with HS256 whoever reads the issuer's public key could sign. */
const ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
];

const text = z.string().min(1).max(1_000);

function createSchema(allowInsecure: boolean) {
  return z.strictObject({
    name: z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, _, . or -'),
    issuer: text.superRefine((issuer, context) => {
      try {
        if (parsePublicUrl(issuer, { allowInsecure }).search) throw new Error('must be a URL without a query');
      } catch (error) {
        context.addIssue((error as Error).message);
      }
    }),
    audience: z.union([text, z.array(text).min(1).max(MAX_AUDIENCES)]),
    algorithms: z.array(z.enum(ALGORITHMS)).min(1),
    role_claim: text,
    roles: z
      .record(text, z.enum(ROLE_NAMES))
      .refine((roles) => Object.keys(roles).length > 0, 'must map at least one value')
      .refine((roles) => Object.keys(roles).length <= MAX_ROLES, `must map at most ${MAX_ROLES} values`),
  });
}

/**
 * Parses `OIDC_ISSUERS_FILE`. `allowInsecure` permits http and private addresses.
 * @throws Error that names each wrong entry and field
 */
export function parseOidcIssuers(json: string, { allowInsecure }: { allowInsecure: boolean }): OidcIssuer[] {
  const entries = parseList(json);
  const schema = createSchema(allowInsecure);
  const problems: string[] = [];
  const issuers = entries.flatMap((entry, at) => {
    const { data, error } = schema.safeParse(entry);
    for (const { path, message } of error?.issues ?? []) {
      problems.push(`entry ${at + 1}: ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`);
    }
    return data ?? [];
  });
  for (const field of ['name', 'issuer'] as const) {
    const repeated = issuers.find((one, at) => issuers.findIndex((other) => other[field] === one[field]) < at);
    if (repeated) problems.push(`duplicate ${field}: ${repeated[field]}`);
  }
  if (problems.length > 0) throw new Error(problems.join('; '));
  return issuers;
}

function parseList(json: string): unknown[] {
  let entries: unknown;
  try {
    entries = JSON.parse(json);
  } catch (error) {
    throw new Error('must hold JSON', { cause: error });
  }
  if (Array.isArray(entries) && entries.length > 0 && entries.length <= MAX_ISSUERS) return entries;
  throw new Error(`must hold a list of 1 to ${MAX_ISSUERS} issuers`);
}
