import { anyTextSchema, orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { toPlain } from '@agent-fleet/shared/exact-json';
import { z } from 'zod';
import { anyJsonSchema, integerSchema, jsonSchema } from '../../contract/fields.ts';
import { AGENT_ID_EXAMPLE, TASK_ID_EXAMPLE } from '../../contract/parameters.ts';
import { findFlatSchemaProblem } from './flat-schema.ts';

const KIB = 1024;
const MAX_TEXT = 32_768;
const MAX_MARKDOWN = 16 * KIB;
const MAX_TOOL_INPUT = 64 * KIB;
const MAX_VALUES = 64 * KIB;
const MAX_OPTIONS = 20;
const OPTION_ID = /^[\w.:-]{1,64}$/;

export const KINDS = ['approval', 'question', 'form'] as const;
export const REQUEST_STATES = ['open', 'answered', 'expired', 'withdrawn'] as const;
const ROLES = ['allow', 'deny', 'allow_always', 'other'] as const;

const optionIdSchema = z
  .string('must be a text')
  .regex(OPTION_ID, 'must have 1 to 64 letters, digits or characters of _ . : -');

const optionFields = {
  id: optionIdSchema,
  label: textSchema(1, 200),
};

const optionInputSchema = z
  .strictObject({
    ...optionFields,
    description: textSchema(0, 500).nullish(),
    role: z
      .enum(ROLES, `must be one of ${ROLES.join(', ')}`)
      .default('other')
      .meta({ description: 'What it decides; `allow_always` only for this task.' }),
  })
  .meta({ id: 'InputOptionInput' });

const toolInputSchema = jsonSchema(MAX_TOOL_INPUT).meta({ description: 'Any JSON, at most 64 KiB.' });

/** An object of a form, whose members may have the names of free JSON. */
const formObjectSchema = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  )
  .overwrite((value) => toPlain(value) as Record<string, unknown>);

const flatSchemaSchema = formObjectSchema
  .superRefine((schema, context) => {
    const problem = findFlatSchemaProblem(schema);
    if (problem) context.addIssue({ code: 'custom', ...problem, input: schema });
  })
  .meta({
    type: 'object',
    additionalProperties: {},
    description:
      'A flat JSON Schema, as in an elicitation of MCP: an object whose properties are texts, numbers, whole numbers, booleans, an `enum`, or a list of an `enum`.',
  });

/** What a person may send as an answer. */
const answerFields = {
  option_ids: z
    .array(optionIdSchema, 'must be a list')
    .max(MAX_OPTIONS, `must have at most ${MAX_OPTIONS} options`)
    .nullish()
    .meta({ description: 'Ids of the chosen options: one, or with `multiple` several.' }),
  text: textSchema(1, MAX_TEXT).nullish().meta({ description: 'Where the request has `allow_text`.' }),
  values: formObjectSchema
    .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= MAX_VALUES, {
      message: `must not be larger than ${MAX_VALUES / KIB} KiB as JSON`,
    })
    .nullish()
    .meta({ type: ['object', 'null'], additionalProperties: {}, description: 'As the `schema` of the request says.' }),
  tool_input: toolInputSchema
    .optional()
    .meta({ description: 'A changed input, where the request is `input_editable`.' }),
};

export const answerInputSchema = z.strictObject(answerFields).meta({ id: 'InputAnswerInput' });

export type AnswerInput = z.output<typeof answerInputSchema>;

/** The fields of an input request that a worker sends. */
export const requestFields = {
  key: textSchema(1, 200).meta({
    description: 'One in the task, not `interruption:…`: the same again returns the same request.',
  }),
  kind: z.enum(KINDS, `must be one of ${KINDS.join(', ')}`),
  title: textSchema(1, 200),
  text: anyTextSchema
    .refine((text) => Buffer.byteLength(text) <= MAX_MARKDOWN, `must not be larger than ${MAX_MARKDOWN} bytes`)
    .nullish()
    .meta({ description: 'Markdown, at most 16 KiB.' }),
  tool: orNull(
    z
      .strictObject({ name: textSchema(1, 200), input: toolInputSchema })
      .meta({ id: 'InputToolInput', description: 'What runs if a person allows it.' }),
  ).optional(),
  options: z
    .array(optionInputSchema, 'must be a list')
    .max(MAX_OPTIONS, `must have at most ${MAX_OPTIONS} options`)
    .refine((options) => new Set(options.map(({ id }) => id)).size === options.length, 'must not repeat an id')
    .nullish()
    .meta({ description: 'Default of an approval: `allow` and `deny`.' }),
  multiple: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Whether several options may be chosen; not of an approval.' }),
  allow_text: z.boolean('must be true or false').default(true),
  input_editable: z
    .boolean('must be true or false')
    .default(false)
    .meta({ description: 'Whether an answer may change the input of the tool.' }),
  schema: flatSchemaSchema.nullish(),
  default: orNull(
    answerInputSchema,
    'The answer if nobody answers in time; without it the task fails then.',
  ).optional(),
  expires_in_seconds: integerSchema(60, 604_800).default(86_400),
};

const answererSchema = z.strictObject({ id: z.string(), name: z.string() }).meta({ id: 'Answerer' });

export const answerSchema = z
  .strictObject({
    option_ids: z.array(z.string()).nullable(),
    text: z.string().nullable(),
    values: z.record(z.string(), z.unknown()).nullable(),
    tool_input: z.unknown().optional().meta({ description: 'The changed input; absent if it is as requested.' }),
    tool_digest: z.string().nullable().meta({ description: 'Digest of the tool and input that was allowed.' }),
    by: orNull(answererSchema, 'Null for the default.'),
    at: z.iso.datetime(),
  })
  .meta({ id: 'InputAnswer' });

const defaultSchema = z
  .strictObject({
    option_ids: z.array(z.string()).nullable(),
    text: z.string().nullable(),
    values: z.record(z.string(), z.unknown()).nullable(),
    tool_input: z.unknown().optional(),
  })
  .meta({ id: 'InputDefault', description: 'The answer if nobody answers in time.' });

/** A served input request. */
export const requestSchema = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    task_id: z.string(),
    attempt: z.int(),
    key: z.string(),
    kind: z.enum(KINDS),
    title: z.string(),
    text: z.string().nullable().meta({ description: 'Markdown.' }),
    tool: orNull(
      z
        .strictObject({
          name: z.string(),
          input: anyJsonSchema,
          digest: z
            .string()
            .meta({ description: '`sha256:` and that of the canonical form (RFC 8785) of `{name, input}`.' }),
        })
        .meta({ id: 'InputTool' }),
    ),
    options: z.array(
      z
        .strictObject({ ...optionFields, description: z.string().nullable(), role: z.enum(ROLES) })
        .meta({ id: 'InputOption' }),
    ),
    multiple: z.boolean(),
    allow_text: z.boolean(),
    input_editable: z.boolean(),
    schema: z.record(z.string(), z.unknown()).nullable(),
    default: orNull(defaultSchema),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    state: z.enum(REQUEST_STATES),
    answer: orNull(answerSchema),
  })
  .meta({ id: 'InputRequest' });

export type InputRequest = z.output<typeof requestSchema>;
export type Answer = z.output<typeof answerSchema>;

export const REQUEST_EXAMPLE: InputRequest = {
  id: '01997e6d-9a40-7e21-8c55-1b7d3f0a9c64',
  agent_id: AGENT_ID_EXAMPLE,
  task_id: TASK_ID_EXAMPLE,
  attempt: 1,
  key: 'toolu_01A2',
  kind: 'approval',
  title: 'Run a command',
  text: null,
  tool: {
    name: 'Bash',
    input: { command: 'git push origin v2.4' },
    digest: 'sha256:2b5f6e5c1c0c4b1f6f0e6b0e7a1d5f5be9c3f2a4d8b7c6e5f4a3b2c1d0e9f8a7',
  },
  options: [
    { id: 'allow', label: 'Allow', description: null, role: 'allow' },
    { id: 'deny', label: 'Deny', description: null, role: 'deny' },
  ],
  multiple: false,
  allow_text: true,
  input_editable: false,
  schema: null,
  default: null,
  created_at: '2026-11-21T09:31:20.000Z',
  expires_at: '2026-11-22T09:31:20.000Z',
  state: 'open',
  answer: null,
};
