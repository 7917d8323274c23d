import { z } from 'zod';

const text = (description: string) => z.string().nullable().meta({ description });
const count = (description: string) => z.int().min(0).nullable().meta({ description });

const SOURCE = z
  .object({
    repo: text('Repository, mostly `owner/name`.'),
    path: text('Folder or file within the repository.'),
    ref: text('Branch, tag or commit.'),
    url: text('http or https URL. A skill whose repository is not on GitHub always has one.'),
  })
  .meta({ id: 'SkillSource', description: 'Location of the skill. Parts that upstream does not name are null.' });

/** The rules of the Agent Skills specification that a record may break; a closed list, served as `issues`. */
const SKILL_ISSUES = [
  'name_too_long',
  'name_characters',
  'name_hyphens',
  'description_missing',
  'description_too_long',
  'compatibility_too_long',
] as const;

export type SkillIssue = (typeof SKILL_ISSUES)[number];

/** What a record is. Plugins are bundles that may contain skills. */
export const SKILL_KINDS = ['skill', 'plugin', 'mcp_server', 'agent', 'hook', 'setting', 'command'] as const;

export type SkillKind = (typeof SKILL_KINDS)[number];

/** Whether records of this kind are listed unless the client asks for another kind. */
export function isListed(kind: SkillKind): boolean {
  return kind === 'skill' || kind === 'plugin';
}

/** A skill from any source. The served JSON has the fields in this order. */
export const SKILL = z
  .object({
    id: z.string().meta({ description: 'URL-safe, without a slash, unique, and stable across refreshes.' }),
    name: z.string().meta({ description: 'As in the upstream registry.' }),
    display_name: z.string().meta({ description: 'Title; the name if upstream has none.' }),
    description: z.string().meta({ description: 'Empty if upstream has none.' }),
    kind: z.enum(SKILL_KINDS).meta({
      description: 'What it is. Only skills and plugins, which may contain skills, are listed unless `kind` is given.',
    }),
    category: text('The first of `categories`; null if there are none.'),
    categories: z.array(z.string()).meta({ description: 'Ids of categories of `/api/categories`.' }),
    tags: z.array(z.string()),
    author: text('As in the upstream registry, else the owner of the repository.'),
    source: SOURCE,
    license: text('SPDX identifier or a name.'),
    version: text('As in the upstream registry.'),
    compatibility: text('Requirements of the skill, as in the upstream registry.'),
    stars: count('Stars of the repository; null if unknown.'),
    downloads: count('Downloads or installations; null if unknown.'),
    featured: z.boolean(),
    updated_at: text('RFC 3339, UTC.'),
    digest: text('`sha256:` and 64 hexadecimal digits of the content, if upstream has one.'),
    digest_of: z
      .enum(['skill_md', 'folder'])
      .nullable()
      .meta({ description: 'What the digest covers: the SKILL.md, or the folder or archive of the skill.' }),
    install: text(
      'Installation command of upstream, else derived from repository and name. Read it before you run it.',
    ),
    valid: z.boolean().meta({ description: 'Whether the skill follows the rules of the Agent Skills specification.' }),
    issues: z
      .array(z.enum(SKILL_ISSUES))
      .meta({ description: 'The rules that the skill breaks; empty if it is valid.' }),
    registries: z
      .array(z.string())
      .meta({ description: 'The sources that list this skill, with their names in `/api/registry/status`.' }),
    extra: z.record(z.string(), z.unknown()).meta({ description: 'Other upstream fields; long values are truncated.' }),
  })
  .meta({ id: 'Skill' });

export type Skill = z.output<typeof SKILL>;
