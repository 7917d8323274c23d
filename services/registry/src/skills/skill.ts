import { z } from 'zod';

const text = (description: string) => z.string().nullable().meta({ description });
const count = (description: string) => z.int().min(0).nullable().meta({ description });

const SOURCE = z
  .object({
    repo: text('Repository, mostly `owner/name`.'),
    path: text('Folder or file within the repository.'),
    ref: text('Branch, tag or commit.'),
    url: text('Web address, http or https. A skill whose repository is not on GitHub has one, and it is not GitHub’s.'),
  })
  .meta({ description: 'Where the skill lives. A part that upstream does not name is null.' });

/** Where a record breaks the Agent Skills specification: a closed list, shown as `issues` of a skill. */
const SKILL_ISSUES = [
  'name_too_long',
  'name_characters',
  'name_hyphens',
  'description_missing',
  'description_too_long',
  'compatibility_too_long',
] as const;

export type SkillIssue = (typeof SKILL_ISSUES)[number];

/** The one shape of a skill, whatever its source. The served JSON has the fields in this order. */
export const SKILL = z
  .object({
    id: z.string().meta({ description: 'URL-safe, without a slash, unique and stable from one refresh to the next.' }),
    name: z.string().meta({ description: 'As upstream has it.' }),
    display_name: z.string().meta({ description: 'A title for people; the name where upstream has none.' }),
    description: z.string().meta({ description: 'Empty where upstream has none.' }),
    category: text('Id of a category of `/api/categories`.'),
    tags: z.array(z.string()),
    author: text('As upstream says, else the owner of the repository.'),
    source: SOURCE,
    license: text('SPDX identifier or a name.'),
    version: text('As upstream writes it.'),
    compatibility: text('What the skill needs to run, as upstream says.'),
    stars: count('Stars of the repository; null where unknown.'),
    downloads: count('Downloads or installations; null where unknown.'),
    featured: z.boolean(),
    updated_at: text('RFC 3339, UTC.'),
    digest: text('`sha256:` and 64 hexadecimal digits of the skill’s content, where upstream gives one.'),
    install: text('What upstream says to install it with. Never run it unread.'),
    valid: z
      .boolean()
      .meta({ description: 'Whether name and description keep the rules of the Agent Skills specification.' }),
    issues: z.array(z.enum(SKILL_ISSUES)).meta({ description: 'Which of those rules are broken; empty when valid.' }),
    registries: z
      .array(z.string())
      .meta({ description: 'The sources that list this skill, as `/api/registry/status` names them.' }),
    extra: z
      .record(z.string(), z.unknown())
      .meta({ description: 'What upstream says beyond these fields, as it says it.' }),
  })
  .meta({ id: 'Skill' });

export type Skill = z.output<typeof SKILL>;
