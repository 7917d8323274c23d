import { anyTextSchema, orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { z } from 'zod';
import { agentFields, servedAgentFields } from '../agent-work/agent-fields.ts';
import { budgetInputSchema } from '../agent-work/budget.ts';
import { maxAttemptsSchema, retryPolicySchema, servedRetryPolicySchema, timeoutSchema } from '../agent-work/limits.ts';
import { maxCostSchema } from '../agent-work/spend.ts';
import { integerSchema } from '../contract/fields.ts';
import { labelsSchema } from '../contract/labels.ts';
import { hasCredential } from './credentials.ts';

const KIB = 1024;
const MAX_SERVERS = 8;
const MAX_RULES = 100;

const RUNTIMES = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot', 'acp'] as const;

const LOOKS_LIKE_KEY = 'has what looks like a key: name it by {"secret": "NAME"}, which the worker has';

/** A text that stands in a record, so that it must not have a key in it. */
function plainText(min: number, max: number) {
  return textSchema(min, max)
    .refine((text) => !hasCredential(text), LOOKS_LIKE_KEY)
    .meta({ minLength: min, maxLength: max });
}

const secretSchema = z
  .strictObject({
    secret: textSchema(1, 64)
      .regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable')
      .meta({ description: 'Name of a secret that the operator has given the worker.' }),
    prefix: plainText(0, 32).optional().meta({ description: 'Stands before its value, as in `Bearer `.' }),
  })
  .meta({ id: 'SecretReference' });

function valuesSchema(name: RegExp, what: string) {
  return z
    .record(
      textSchema(1, 128).regex(name, what),
      z.union([plainText(0, 4 * KIB), secretSchema], 'must be a text, or an object with secret'),
    )
    .refine((values) => Object.keys(values).length <= 32, 'must have at most 32 values')
    .optional()
    .transform((values) => values ?? {});
}

const serverName = textSchema(1, 64).regex(/^[\w-]+$/, 'must have only letters, digits, _ and -');

const serverSchema = z.union(
  [
    z
      .strictObject({
        name: serverName,
        url: plainText(1, 2_048).refine(isServerUrl, 'must be an http or https URL without credentials'),
        headers: valuesSchema(/^[!#$%&'*+.^`|~\w-]+$/, 'must be the name of a header'),
      })
      .meta({ id: 'McpServerByUrl' }),
    z
      .strictObject({
        name: serverName,
        command: plainText(1, 1_024),
        args: z
          .array(plainText(0, 4 * KIB), 'must be a list')
          .max(64, 'must have at most 64 arguments')
          .default([]),
        env: valuesSchema(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable'),
      })
      .meta({ id: 'McpServerByCommand' }),
  ],
  'must have name and url, or name and command',
);

function isServerUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

const serversSchema = z
  .array(serverSchema, 'must be a list')
  .max(MAX_SERVERS, `must have at most ${MAX_SERVERS} servers`)
  .superRefine((servers, context) => {
    const names = servers.map(({ name }) => name);
    const at = names.findIndex((name, index) => names.indexOf(name) < index);
    if (at >= 0) context.addIssue({ code: 'custom', path: [at, 'name'], message: 'is listed twice', input: names[at] });
  });

const rulesSchema = z
  .array(textSchema(1, 512).regex(/^[\w*.-]+(?:\([^\r\n]+\))?$/, 'must be Tool, or Tool(pattern)'), 'must be a list')
  .max(MAX_RULES, `must have at most ${MAX_RULES} rules`)
  .default([]);

const permissionsSchema = z
  .strictObject({
    mode: z
      .enum(['read-only', 'edit', 'full'], 'must be read-only, edit or full')
      .nullish()
      .transform((mode) => mode ?? null)
      .meta({ type: ['string', 'null'], description: "Null: the worker's." }),
    allow: rulesSchema,
    ask: rulesSchema.meta({ description: 'What a person is asked about, as an input request.' }),
    deny: rulesSchema,
  })
  .meta({ id: 'PermissionsInput', description: 'What the agent may do: rules `Tool(pattern)`, as `Bash(git *)`.' });

const limitsSchema = z
  .strictObject({
    timeout_seconds: timeoutSchema.nullish(),
    max_attempts: maxAttemptsSchema.nullish(),
    max_cost: orNull(maxCostSchema).optional(),
    max_turns: integerSchema(1, 10_000).nullish(),
  })
  .transform(({ timeout_seconds = null, max_attempts = null, max_cost = null, max_turns = null }) => ({
    ...{ timeout_seconds, max_attempts, max_cost, max_turns },
  }));

const text = (schema: z.ZodType<string>, max: number, description: string) =>
  schema.nullish().meta({ type: ['string', 'null'], maxLength: max, description });

const instructionsSchema = anyTextSchema
  .refine((markdown) => Buffer.byteLength(markdown) <= 64 * KIB, 'must not be larger than 64 KiB')
  .refine((markdown) => !hasCredential(markdown), LOOKS_LIKE_KEY);

/** What a client sets of a definition. */
export const definitionInputSchema = z
  .strictObject({
    description: text(textSchema(0, 500), 500, 'For people.'),
    instructions: instructionsSchema.nullish().meta({
      type: ['string', 'null'],
      description: "Markdown, which is appended to the runtime's system prompt. At most 64 KiB as UTF-8.",
    }),
    runtime: z
      .enum(RUNTIMES, `must be one of ${RUNTIMES.join(', ')}`)
      .nullish()
      .meta({
        type: ['string', 'null'],
        description: 'Only workers with the label `runtime:<it>` get its tasks. Null: any worker of the type.',
      }),
    model: agentFields.model,
    effort: z
      .enum(['low', 'medium', 'high'], 'must be low, medium or high')
      .nullish()
      .meta({ type: ['string', 'null'] }),
    skills: agentFields.skills,
    mcp_servers: serversSchema.nullish().meta({ description: 'MCP servers that the agent gets.' }),
    permissions: orNull(permissionsSchema).optional(),
    workspace: agentFields.workspace,
    output_schema: agentFields.output_schema,
    requires: labelsSchema(8).nullish().meta({ description: 'Labels that a worker must have.' }),
    limits: orNull(limitsSchema.meta({ id: 'LimitsInput' })).optional(),
    retry_policy: orNull(retryPolicySchema).optional(),
    max_concurrency: integerSchema(1, 1_000).nullish().meta({ description: 'Tasks of the agent that run at once.' }),
    budget: orNull(budgetInputSchema, 'What the agent may cost in a period.').optional(),
    tags: z.array(textSchema(1, 128), 'must be a list').max(10, 'must have at most 10 tags').nullish().meta({
      description: 'Added to those of its tasks.',
    }),
    note: text(textSchema(0, 200), 200, 'Why this version was made.'),
  })
  .meta({ id: 'DefinitionInput' });

export type DefinitionInput = z.output<typeof definitionInputSchema>;

const nullableText = z.string().nullable();
const valueSchema = z.union([z.string(), secretSchema]);

export const definitionSchema = z
  .strictObject({
    version: z.int().meta({ description: 'From 1. Tasks name it as `agent_version`.' }),
    description: nullableText,
    instructions: nullableText,
    runtime: nullableText,
    model: nullableText,
    effort: nullableText,
    skills: servedAgentFields.skills.unwrap(),
    mcp_servers: z.array(
      z
        .strictObject({
          name: z.string(),
          url: z.string().optional(),
          headers: z.record(z.string(), valueSchema).optional(),
          command: z.string().optional(),
          args: z.array(z.string()).optional(),
          env: z.record(z.string(), valueSchema).optional(),
        })
        .meta({ id: 'McpServer' }),
    ),
    permissions: orNull(
      z
        .strictObject({
          mode: nullableText,
          allow: z.array(z.string()),
          ask: z.array(z.string()),
          deny: z.array(z.string()),
        })
        .meta({ id: 'Permissions' }),
    ),
    workspace: servedAgentFields.workspace,
    output_schema: servedAgentFields.output_schema,
    requires: z.array(z.string()),
    limits: orNull(
      z
        .strictObject({
          timeout_seconds: z.int().nullable(),
          max_attempts: z.int().nullable(),
          max_cost: orNull(maxCostSchema),
          max_turns: z.int().nullable(),
        })
        .meta({ id: 'Limits' }),
    ),
    retry_policy: orNull(servedRetryPolicySchema),
    max_concurrency: z.int().nullable(),
    budget: orNull(
      z
        .strictObject({
          amount: z.number(),
          currency: z.literal('USD'),
          period: z.string(),
          time_zone: z.string(),
        })
        .meta({ id: 'Budget' }),
    ),
    tags: z.array(z.string()),
    created_at: z.iso.datetime(),
    created_by: orNull(z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'DefinitionCreator' })),
    note: nullableText,
  })
  .meta({ id: 'Definition' });

export type Definition = z.output<typeof definitionSchema>;

/** The fields that a client sets, each as it is served. */
export function toContent(input: DefinitionInput): Omit<Definition, 'version' | 'created_at' | 'created_by'> {
  return {
    description: input.description ?? null,
    instructions: input.instructions ?? null,
    runtime: input.runtime ?? null,
    model: input.model ?? null,
    effort: input.effort ?? null,
    skills: input.skills ?? [],
    mcp_servers: input.mcp_servers ?? [],
    permissions: input.permissions ?? null,
    workspace: input.workspace ? { ...input.workspace, ref: input.workspace.ref ?? null } : null,
    output_schema: input.output_schema ?? null,
    requires: input.requires ?? [],
    limits: input.limits ?? null,
    retry_policy: input.retry_policy ?? null,
    max_concurrency: input.max_concurrency ?? null,
    budget: input.budget ?? null,
    tags: input.tags ?? [],
    note: input.note ?? null,
  };
}

/** The labels that a worker must have for tasks of a definition. */
export function labelsOf({ runtime, requires }: Pick<Definition, 'runtime' | 'requires'>): string[] {
  return runtime === null ? requires : [...requires, `runtime:${runtime}`];
}

/**
 * What holds for a task of a definition, as the lease has it: what the task gives itself stands for the whole value.
 */
export function toEffective(
  definition: Definition,
  task: Pick<Definition, 'model' | 'workspace' | 'output_schema'> & {
    skills: Definition['skills'] | null;
    tags: string[] | null;
    requires?: string[] | null | undefined;
    retry_policy: NonNullable<Definition['retry_policy']>;
  } & Omit<NonNullable<Definition['limits']>, 'max_turns'>,
): Definition {
  const { timeout_seconds, max_attempts, max_cost, retry_policy } = task;
  return {
    ...definition,
    model: task.model ?? definition.model,
    skills: task.skills ?? definition.skills,
    workspace: task.workspace ?? definition.workspace,
    output_schema: task.output_schema ?? definition.output_schema,
    limits: { timeout_seconds, max_attempts, max_cost, max_turns: definition.limits?.max_turns ?? null },
    retry_policy,
    requires: [...new Set([...definition.requires, ...(task.requires ?? [])])],
    tags: task.tags ?? [],
  };
}
