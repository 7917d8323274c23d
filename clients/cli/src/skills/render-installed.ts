import { EXIT, type ExitCode } from '../errors.ts';
import type { Output } from '../output/output.ts';
import type { AddResult } from './operations/add.ts';
import type { ListedSkill } from './operations/installed.ts';
import type { RemoveResult } from './operations/remove.ts';
import type { UpstreamResult } from './operations/upstream.ts';
import type { VerifyResult } from './operations/verify.ts';
import { explainIssues } from './render-registry.ts';

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
