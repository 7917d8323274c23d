import type { components } from '@agent-fleet/sdk';
import type { RegistrySkill } from '@agent-fleet/skills/registry';
import type { Output } from '../output/output.ts';

type Category = components['schemas']['Category'];

/** What is wrong with a skill, in words. */
const ISSUES: Record<RegistrySkill['issues'][number], string> = {
  name_too_long: 'its name has more than 64 characters',
  name_characters: 'its name has other characters than a-z, 0-9 and hyphens',
  name_hyphens: 'its name begins or ends with a hyphen, or has two in a row',
  description_missing: 'it has no description',
  description_too_long: 'its description has more than 1,024 characters',
  compatibility_too_long: 'its compatibility has more than 500 characters',
};

export function explainIssues(issues: readonly string[]): string {
  return issues.map((issue) => ISSUES[issue as keyof typeof ISSUES] ?? issue).join('\n');
}

export function showFound(out: Output, skills: readonly RegistrySkill[]): void {
  out.list(
    skills,
    [
      { title: 'ID', value: ({ id }) => id, isWhole: true },
      { title: 'KIND', value: ({ kind }) => kind },
      { title: 'STARS', value: ({ stars }) => stars, isNumber: true },
      { title: 'FROM', value: ({ source, author }) => source.repo ?? author },
      { title: 'DESCRIPTION', value: ({ description }) => description },
    ],
    'No skill was found. Fewer or other words may help.',
  );
}

export function showSkill(out: Output, skill: RegistrySkill): void {
  const { source, digest, digest_of, stars, downloads, categories, tags, registries } = skill;
  out.record(skill, () =>
    out.fields([
      ['id', skill.id],
      ['name', skill.display_name],
      ['kind', skill.kind],
      ['description', skill.description],
      ['author', skill.author],
      ['license', skill.license ?? 'none is stated'],
      ['version', skill.version],
      ['repository', source.repo],
      ['path', source.path],
      ['ref', source.ref],
      ['url', source.url],
      ['categories', categories.join(', ')],
      ['tags', tags.join(', ')],
      ['stars', stars],
      ['downloads', downloads],
      ['updated', skill.updated_at],
      ['digest', digest && `${digest} of the ${digest_of === 'folder' ? 'folder' : 'SKILL.md'}`],
      ['issues', explainIssues(skill.issues)],
      ['registries', registries.join(', ')],
      ['add it', skill.kind === 'skill' ? `fleet skills add ${skill.id}` : null],
    ]),
  );
}

export function showCategories(out: Output, categories: readonly Category[]): void {
  out.list(
    categories,
    [
      { title: 'ID', value: ({ id }) => id, isWhole: true },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'SKILLS', value: ({ count }) => count, isNumber: true },
    ],
    'The registry has no categories.',
  );
}
