import type { components } from '@agent-fleet/sdk';
import type { RegistrySkill } from '@agent-fleet/skills/registry';
import { EXIT, type ExitCode } from '../errors.ts';
import type { Output } from '../output/output.ts';
import type { AddResult } from './operations/add.ts';
import type { ListedSkill, RemoveResult } from './operations/installed.ts';
import type { UpstreamResult } from './operations/upstream.ts';
import type { VerifyResult } from './operations/verify.ts';

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

function explainIssues(issues: readonly string[]): string {
  return issues.map((issue) => ISSUES[issue as keyof typeof ISSUES] ?? issue).join('\n');
}

function noteIssues(out: Output, skills: readonly { issues: readonly string[] }[]): void {
  for (const { issues } of out.isJson ? [] : skills) for (const issue of issues) out.note(`Warning: ${issue}`);
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

const OUTCOMES: Record<AddResult['outcome'], [done: string, planned: string]> = {
  added: ['Added', 'Would add'],
  updated: ['Updated', 'Would update'],
  linked: ['Linked', 'Would link'],
  unchanged: ['Already there:', 'Already there:'],
};

const DIGESTS: Record<AddResult['digest'], string | undefined> = {
  same: 'the same as in the registry',
  differs: 'another than in the registry',
  none: undefined,
};

export function showAdded(out: Output, result: AddResult): ExitCode | undefined {
  out.record(result, ({ name, outcome, written, dry_run: isDry, ...rest }) => [
    `${OUTCOMES[outcome][isDry ? 1 : 0]} ${name}`,
    ...out.fields([
      ['source', rest.path ? `${rest.source}, ${rest.path}` : rest.source],
      ['commit', rest.commit && (rest.ref ? `${rest.commit} (${rest.ref})` : rest.commit)],
      ['license', rest.license ?? 'none is stated'],
      ['registry', rest.registry && `${rest.registry} (${rest.skill_id})`],
      ['digest', DIGESTS[rest.digest]],
      ['agents', [...rest.agents, 'all that read .agents/skills'].join(', ')],
      ['issues', explainIssues(rest.issues)],
      ['warnings', rest.warnings.join('\n')],
      [isDry ? 'would write' : 'wrote', written.join('\n')],
    ]),
  ]);
  if (result.outcome !== 'unchanged' && !result.dry_run)
    out.note('Read a skill before you use it: agents do what it says.');
  return undefined;
}

export function showInstalled(out: Output, skills: readonly ListedSkill[]): ExitCode | undefined {
  out.list(
    skills,
    [
      { title: 'NAME', value: ({ name }) => name, isWhole: true },
      { title: 'STATE', value: ({ state }) => state, isWhole: true },
      { title: 'SOURCE', value: ({ source, ref }) => (ref ? `${source}#${ref}` : source) },
      { title: 'COMMIT', value: ({ commit }) => commit?.slice(0, 12) },
      { title: 'AGENTS', value: ({ agents }) => agents.join(', ') },
      { title: 'PATH', value: ({ path }) => path },
    ],
    'No skills are installed here. fleet skills search finds some.',
  );
  noteIssues(out, skills);
  return undefined;
}

export function showRemoved(out: Output, results: readonly RemoveResult[]): ExitCode | undefined {
  out.list(
    results.flatMap((result) =>
      out.isJson || out.isQuiet ? [result] : result.removed.map((path) => ({ ...result, removed: [path] })),
    ),
    [
      { title: 'NAME', value: ({ name }) => name, isWhole: true },
      {
        title: results.some((result) => result.dry_run) ? 'WOULD REMOVE' : 'REMOVED',
        value: ({ removed }) => removed[0],
      },
    ],
    'Nothing was removed.',
  );
  return undefined;
}

export function showUpstream(out: Output, results: readonly UpstreamResult[]): ExitCode | undefined {
  out.list(
    results,
    [
      { title: 'NAME', value: ({ name }) => name, isWhole: true },
      {
        title: 'STATE',
        value: ({ state, edited }) => (edited && state !== 'kept' ? `${state}, edited` : state),
        isWhole: true,
      },
      { title: 'COMMIT', value: ({ commit }) => commit?.slice(0, 12) },
      { title: 'LATEST', value: ({ latest_commit }) => latest_commit?.slice(0, 12) },
      { title: 'SOURCE', value: ({ source, ref }) => (ref ? `${source}#${ref}` : source) },
      { title: 'REASON', value: ({ reason }) => reason },
    ],
    'No skills are installed here.',
  );
  noteIssues(out, results);
  for (const { written } of out.isJson ? [] : results) for (const path of written) out.note(`  ${path}`);
  return results.some(({ state }) => state === 'failed' || state === 'kept') ? EXIT.failed : undefined;
}

export function showVerified(out: Output, results: readonly VerifyResult[]): ExitCode | undefined {
  out.list(
    results,
    [
      { title: 'NAME', value: ({ name }) => name, isWhole: true },
      { title: 'OK', value: ({ ok }) => (ok ? 'yes' : 'no'), isWhole: true },
      { title: 'FILES', value: ({ files }) => files },
      { title: 'REGISTRY', value: ({ registry }) => registry },
      { title: 'PATHS', value: ({ paths }) => paths.join(', ') },
    ],
    'No skills are installed here.',
  );
  return results.every(({ ok }) => ok) ? undefined : EXIT.failed;
}
