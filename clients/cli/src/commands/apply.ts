import type { Command } from 'commander';
import { changeLines } from '../agent-files/content.ts';
import { applyStep, planFiles, type Step } from '../agent-files/plan.ts';
import { readAgentFiles } from '../agent-files/read-files.ts';
import type { Act, Context } from '../context.ts';
import { CliError, EXIT, type ExitCode } from '../errors.ts';
import type { Line } from '../output/output.ts';

interface ApplyOptions {
  dryRun?: boolean;
  prune?: boolean;
  allowUnknownSkills?: true;
  owner?: string;
}

const MARKS = { create: '+', change: '~', delete: '-' } as const;
const DONE = { create: 'created', change: 'changed', delete: 'deleted' } as const;

/** Nothing is changed unless all files are right. */
async function apply(context: Context, paths: string[], options: ApplyOptions): Promise<ExitCode | undefined> {
  const { out, cwd } = context;
  const allows = { allow_unknown_skills: options.allowUnknownSkills };
  const read = await readAgentFiles(paths, cwd, options.owner);
  const plan = await planFiles(context, read.files, read.owners, {
    prunes: options.prune === true && read.problems.length === 0,
    allows,
  });
  const warnings = [...read.warnings, ...plan.warnings];
  for (const warning of warnings) out.note(`Warning: ${warning}`);
  const problems = [...read.problems, ...plan.problems];
  if (problems.length > 0) {
    throw new CliError(EXIT.usage, 'invalid_files', problems.join('\n'), 'Nothing was changed. Correct the files.');
  }
  const steps: Step[] = plan.steps.map(({ definition, etag, ...step }) => step);
  const counts = countsOf(steps);
  if (steps.length === 0 || options.dryRun) {
    print(context, { applied: false, steps, warnings }, [...planLines(steps), counts || 'Nothing to do']);
    return steps.length > 0 ? EXIT.different : undefined;
  }
  if (!out.isJson && !out.isQuiet) out.lines(planLines(steps));
  await context.confirm(`Apply: ${counts}?`);
  for (const [at, step] of plan.steps.entries()) (steps[at] as Step).id = await applyStep(context, step, allows);
  const done = Object.entries(DONE).map(([action, word]) => [
    steps.filter((one) => one.action === action).length,
    word,
  ]);
  print(context, { applied: true, steps, warnings }, [
    `Applied: ${done.flatMap(([count, word]) => (count ? [`${count} ${word}`] : [])).join(', ')}`,
  ]);
}

function print({ out }: Context, result: { applied: boolean; steps: Step[]; warnings: string[] }, lines: Line[]): void {
  if (out.isQuiet && !out.isJson) for (const { id } of result.steps) out.text(id ?? '');
  else out.record(result, () => lines);
}

function planLines(steps: readonly Step[]): Line[] {
  return steps.flatMap(({ action, name, type, file, id, changes }): Line[] => [
    { style: 'bold', text: `${MARKS[action]} ${name}`, rest: ` (${type}) ${file ?? `${id}, with all its tasks`}` },
    ...changeLines(changes),
  ]);
}

/** Such as `2 to create, 1 to delete`. */
function countsOf(steps: readonly Step[]): string {
  const counts = Object.keys(MARKS).map((action) => [action, steps.filter((step) => step.action === action).length]);
  return counts.flatMap(([action, count]) => (count ? [`${count} to ${action}`] : [])).join(', ');
}

export function registerApply(command: Command, act: Act): void {
  command
    .argument('<path...>', 'files of agents, and folders with such files')
    .option('--dry-run', 'print the plan; exit code 8 if there is something to do')
    .option('--prune', 'delete agents of this owner that no file names, with their tasks')
    .option('--allow-unknown-skills', 'also name skills that the registry does not have')
    .option('--owner <name>', 'who has these agents; default: the Git origin and the folder of the files')
    .action(act(apply));
}
