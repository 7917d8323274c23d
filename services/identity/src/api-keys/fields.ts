import { nameSchema, OPTIONAL_TIME, timestampSchema } from '@agent-fleet/shared/contract/fields';
import { ROLE_NAMES, type Role, SCOPE_NAMES, type Scope, scopesOf } from '@agent-fleet/shared/contract/scopes';
import { z } from 'zod';

const MAX_RATE_LIMIT = 1_000_000_000;
const MAX_AGENTS = 100;
/** They travel in a header, separated by commas. */
const AGENT_ID = /^[\x21-\x2b\x2d-\x7e]{1,64}$/;
/** These reach beyond single agents. */
const FLEET_SCOPES: readonly Scope[] = ['users:admin', 'audit:read', 'registry:admin', 'budgets:admin'];
const roleSchema = z.enum(ROLE_NAMES, `must be one of ${ROLE_NAMES.join(', ')}`);
const scopeSchema = z.enum(SCOPE_NAMES, `must be one of ${SCOPE_NAMES.join(', ')}`);

const rateLimitMessage = `must be a whole number from 1 to ${MAX_RATE_LIMIT}`;

/** The fields of a key that a client sends. */
export const apiKeyInputSchema = z
  .strictObject({
    name: nameSchema,
    role: roleSchema.nullish().meta({ description: 'The scopes of this role; instead of `scopes`.' }),
    scopes: z
      .array(scopeSchema, 'must be a list')
      .min(1, 'must not be empty')
      .max(100, 'must have at most 100 entries')
      .nullish()
      .meta({ description: 'What the key may do; instead of `role`. At most the scopes of the caller.' }),
    agent_ids: z
      .array(
        z
          .string('must be a text')
          .regex(AGENT_ID, 'must have 1 to 64 visible ASCII characters without commas')
          .meta({ description: 'Id of an agent.' }),
        'must be a list',
      )
      .min(1, 'must not be empty')
      .max(MAX_AGENTS, `must have at most ${MAX_AGENTS} entries`)
      .nullish()
      .meta({ description: 'The only agents that the key may see and change. Default: all.' }),
    expires_at: timestampSchema.meta({
      ...OPTIONAL_TIME,
      description: 'At most 366 days ahead. Default: 90 days ahead.',
    }),
    rate_limit_per_minute: z
      .int(rateLimitMessage)
      .min(1, rateLimitMessage)
      .max(MAX_RATE_LIMIT, rateLimitMessage)
      .nullish()
      .meta({ description: 'Requests per minute. It can only lower the limit of the installation.' }),
  })
  .refine(({ role, scopes }) => (role ?? null) === null || (scopes ?? null) === null, {
    path: ['scopes'],
    error: 'must not be given together with role',
  })
  .refine(({ role, scopes }) => (role ?? scopes ?? null) !== null, {
    path: ['scopes'],
    error: 'either role or scopes must be given',
  })
  .refine((input) => (input.agent_ids ?? null) === null || !hasFleetScope(input), {
    path: ['agent_ids'],
    error: `a key limited to agents cannot have the scopes ${FLEET_SCOPES.join(', ')}`,
  })
  .meta({ id: 'ApiKeyInput' });

export type ApiKeyInput = z.output<typeof apiKeyInputSchema>;

interface AskedScopes {
  role?: Role | null;
  scopes?: readonly Scope[] | null;
}

/** The scopes that the client asks for, each once, in the order of `SCOPES`. */
export function requestedScopes({ role, scopes }: AskedScopes): Scope[] {
  const asked = role ? scopesOf(role) : (scopes ?? []);
  return SCOPE_NAMES.filter((scope) => asked.includes(scope));
}

function hasFleetScope(input: AskedScopes): boolean {
  return requestedScopes(input).some((scope) => FLEET_SCOPES.includes(scope));
}

/** A key as clients see it. */
export const apiKeySchema = z
  .strictObject({
    id: z.string().meta({ description: 'Given by the service.' }),
    name: z.string(),
    scopes: z.array(scopeSchema).meta({
      description: 'What the key may do now: a role of its owner that shrinks, shrinks the key.',
    }),
    agent_ids: z.array(z.string()).nullable().meta({ description: 'The only agents of the key; null: all.' }),
    owner: z.string().nullable().meta({
      description: 'The e-mail address of the user who made it, else the principal; null for a key of `API_KEYS`.',
    }),
    source: z.enum(['api', 'environment']).meta({ description: '`environment`: a key of `API_KEYS`.' }),
    created_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable().meta({ description: 'Expired keys are listed for another 30 days.' }),
    last_used_at: z.iso.datetime().nullable().meta({ description: 'To within a minute; null: never.' }),
    rate_limit_per_minute: z.int().nullable(),
  })
  .meta({ id: 'ApiKey' });

export type ApiKey = z.output<typeof apiKeySchema>;

/** The answer that has the key itself. */
export const newApiKeySchema = apiKeySchema
  .extend({ key: z.string().meta({ description: 'The key, for the header `X-API-Key`. It is shown this once.' }) })
  .meta({ id: 'CreatedApiKey' });
