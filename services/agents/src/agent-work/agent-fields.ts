import { anyTextSchema, orNull, textSchema } from '@agent-fleet/shared/contract/fields';
import { toPlain } from '@agent-fleet/shared/exact-json';
import { z } from 'zod';
import { objectSchema } from '../contract/fields.ts';
import { findSchemaProblem } from './output-schema.ts';
import { findRefProblem, findRepositoryProblem } from './repository.ts';
import { maxCostSchema } from './spend.ts';

const KIB = 1024;
const MAX_SKILLS = 16;
const MAX_SKILL_ID = 200;
const DIGEST = /^sha256:[\da-f]{64}$/;

/** Adds what `find` finds to the issues of a text. */
function textWithout(max: number, find: (text: string) => string | undefined) {
  return textSchema(1, max)
    .superRefine((text, context) => {
      const message = find(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message, input: text });
    })
    .meta({ minLength: 1, maxLength: max });
}

const skillIdSchema = textWithout(MAX_SKILL_ID, (id) =>
  /[\p{C}\ufffd\s/\\]|^\.+$/u.test(id) ? 'must be the id of a skill' : undefined,
);

const skillSchema = z.union(
  [
    skillIdSchema,
    z
      .strictObject({
        id: skillIdSchema,
        digest: z
          .string('must be a text')
          .regex(DIGEST, 'must be sha256: and 64 hexadecimal digits')
          .meta({ description: 'Of the exact bytes of its SKILL.md.' }),
      })
      .meta({ id: 'PinnedSkill' }),
  ],
  'must be the id of a skill, or an object with id and digest',
);

export type Skill = z.output<typeof skillSchema>;

const skillsSchema = z
  .array(skillSchema, 'must be a list')
  .max(MAX_SKILLS, `must have at most ${MAX_SKILLS} skills`)
  .superRefine((skills, context) => {
    const ids = skills.map(idOf);
    const at = ids.findIndex((id, index) => ids.indexOf(id) < index);
    if (at >= 0) context.addIssue({ code: 'custom', path: [at], message: 'is listed twice', input: skills[at] });
  });

function idOf(skill: Skill): string {
  return typeof skill === 'string' ? skill : skill.id;
}

const workspaceSchema = z
  .strictObject({
    repository: textWithout(2_048, findRepositoryProblem).meta({
      description:
        'An http, https, ssh, git or file URL, or `user@host:path`. Without credentials, which the worker has, a query or a fragment.',
    }),
    ref: textWithout(255, findRefProblem)
      .nullish()
      .meta({ type: ['string', 'null'], description: 'A branch, a tag or a commit. Default: that of the repository.' }),
  })
  .meta({ id: 'WorkspaceInput' });

const outputSchemaSchema = objectSchema(64 * KIB).superRefine((schema, context) => {
  const problem = findSchemaProblem(toPlain(schema) as Record<string, unknown>);
  if (problem) context.addIssue({ code: 'custom', ...problem, input: schema });
});

/** Fields of a task for workers that are agents. */
export const agentFields = {
  skills: skillsSchema.nullish().meta({ description: 'Skills of the registry that the agent gets.' }),
  workspace: orNull(workspaceSchema, 'The git repository in whose clone the agent works.').optional(),
  model: textWithout(128, (model) =>
    /^-|[\s\p{C}\ufffd]/u.test(model) ? 'must not begin with -, nor have spaces or control characters' : undefined,
  )
    .nullish()
    .meta({ type: ['string', 'null'], description: 'The model to use. Default: that of the worker.' }),
  output_schema: outputSchemaSchema.nullish().meta({
    type: ['object', 'null'],
    additionalProperties: {},
    description:
      'JSON Schema of the `output` in the result: draft 2020-12, or 7 by its `$schema`. At most 64 KiB and 64 levels. Each `$ref` begins with `#`. Patterns have at most 1,024 characters.',
  }),
  max_cost: orNull(
    maxCostSchema,
    'What all attempts together may cost. From then on, a failed attempt is not retried.',
  ).optional(),
  continue_of: anyTextSchema.nullish().meta({
    description: 'The ended task of the same agent whose session this one continues. Its worker is preferred.',
  }),
};

/** The same fields of a served task. */
export const servedAgentFields = {
  skills: z.array(skillSchema).nullable(),
  workspace: orNull(z.strictObject({ repository: z.string(), ref: z.string().nullable() }).meta({ id: 'Workspace' })),
  model: z.string().nullable(),
  output_schema: z.record(z.string(), z.unknown()).nullable(),
  max_cost: orNull(maxCostSchema),
  continue_of: z.string().nullable(),
};
