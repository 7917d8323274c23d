import { LockFile } from '../install/lock-file.ts';
import { planRemoval } from '../install/plan.ts';
import { changeSkills } from '../install/transaction.ts';
import { type SkillsContext, toScope } from '../skills-context.ts';
import { readInstalled, selectInstalled } from './installed.ts';

export interface RemoveResult {
  name: string;
  dry_run: boolean;
  /** Relative to the root of the scope. */
  removed: string[];
}

/** Removes the folder, all links and the entry of the lock file of each skill. */
export async function removeSkills(
  context: SkillsContext,
  names: readonly string[],
  options: { global?: boolean; dryRun?: boolean; force?: boolean },
): Promise<RemoveResult[]> {
  const { global: isGlobal = false, dryRun = false, force = false } = options;
  const scope = toScope(context, isGlobal);
  const lock = new LockFile(scope);
  const selected = selectInstalled(await readInstalled(context, isGlobal), names);
  const plan = ({ key, folder }: (typeof selected)[number]) => planRemoval(scope, lock, { key, name: folder, force });
  if (dryRun) {
    const plans = await Promise.all(selected.map(plan));
    return plans.map(({ change, written }) => ({ name: change.key, dry_run: true, removed: written }));
  }
  return changeSkills(
    scope,
    lock,
    async (apply) => {
      // All are checked before the first is removed.
      const plans = await Promise.all(selected.map(plan));
      return plans.map(({ change, written }) => {
        apply(change);
        return { name: change.key, dry_run: false, removed: written };
      });
    },
    context.signal,
  );
}
