import type { Fleet } from '@agent-fleet/sdk';
import type { RegistrySkill } from '@agent-fleet/skills/registry';
import { Option } from 'commander';
import type { Context, Register } from '../context.ts';
import { type ExitCode, stoppedError } from '../errors.ts';
import { collect, toInteger } from '../lookup.ts';
import type { Output } from '../output/output.ts';
import { safeLine } from '../output/safe-text.ts';
import { type AddOptions, addSkill } from './operations/add.ts';
import { listInstalled, removeSkills } from './operations/installed.ts';
import { checkSkills, updateSkills } from './operations/upstream.ts';
import { verifySkills } from './operations/verify.ts';
import {
  showAdded,
  showCategories,
  showFound,
  showInstalled,
  showRemoved,
  showSkill,
  showUpstream,
  showVerified,
} from './render.ts';
import type { SkillsContext } from './scope.ts';

interface ScopeOptions {
  global?: boolean;
}

/** Prints a result, and gives the exit code if it is not 0. */
type Show<Result> = (out: Output, result: Result) => ExitCode | undefined;

const SOURCES = `
Sources: the id of a skill (fleet skills search), owner/repo[/path][@skill][#ref], the URL of a page or
repository on GitHub or GitLab, of any Git repository, of a SKILL.md or of a site with skills, file:// or a folder.`;

/** `fleet skills …` */
export const registerSkills: Register = (skills, act) => {
  registerBrowsing(skills, act);
  const withScope = (name: string, description: string) =>
    skills.command(name).description(description).option('-g, --global', 'skills of the user, not of this project');

  /** An action on installed skills; its progress is cleared before anything is printed. */
  const run = <A extends unknown[], R>(work: (skills: SkillsContext, ...rest: A) => Promise<R>, show: Show<R>) =>
    act(async (context, ...rest: A) => {
      const result = await work(toSkillsContext(context), ...rest).finally(() => context.out.progress(''));
      return show(context.out, result);
    });

  withScope('list', 'list the skills that are installed').action(
    run((context, { global = false }: ScopeOptions) => listInstalled(context, global), showInstalled),
  );
  withScope('add <source>', 'add a skill to this project, or for the user')
    .option('-a, --agent <agent>', 'link it for this agent too; can be repeated', collect)
    .option('--copy', 'copy it for agents with a folder of their own, instead of linking it')
    .option('--ref <ref>', 'branch, tag or commit of the repository')
    .option('-n, --dry-run', 'say what would be written, and write nothing')
    .option('-f, --force', 'discard local edits, replace a skill from elsewhere, ignore another digest')
    .addHelpText('after', SOURCES)
    .action(run((context, source: string, options: AddOptions) => addSkill(context, source, options), showAdded));
  withScope('remove <name...>', 'remove skills: folders, links and entries of the lock file')
    .option('-n, --dry-run', 'say what would be removed, and remove nothing')
    .option('-f, --force', 'also with local edits, and what the lock file does not have')
    .action(run(removeSkills, showRemoved));
  withScope('check [name...]', 'say what is outdated upstream').action(run(checkSkills, showUpstream));
  withScope('update [name...]', 'update what is outdated; local edits are kept')
    .option('-n, --dry-run', 'say what would be written, and write nothing')
    .option('-f, --force', 'discard local edits, and fetch refs that are commits again')
    .action(run(updateSkills, showUpstream));
  withScope(
    'verify [name...]',
    'compare the files with the lock file and the registry; exit code 1 if they differ',
  ).action(run(verifySkills, showVerified));
};

const registerBrowsing: Register = (skills, act) => {
  skills
    .command('search <words...>')
    .description('find skills in the registry')
    .option('--category <id>', 'only of this category')
    .option('--tag <tag>', 'only with this tag')
    .option('--author <author>', 'only of this author')
    .addOption(
      new Option('--sort <order>', 'order').choices(['relevance', 'name', 'stars', 'downloads', 'updated', 'trending']),
    )
    .option('--limit <n>', 'at most so many, up to 1000', '20')
    .action(
      act(async (context, words: string[], { limit, ...filter }: SearchOptions) => {
        const query = { q: words.join(' '), limit: toInteger('--limit', limit, 1, 1_000), ...filter };
        const { data } = await openRegistry(context).get('/api/skills', { params: { query }, signal: context.signal });
        showFound(context.out, data as RegistrySkill[]);
      }),
    );
  skills
    .command('show <id>')
    .description('show a skill of the registry')
    .option('--file', 'print its SKILL.md')
    .action(
      act(async (context, id: string, { file }: { file?: boolean }) => {
        const fleet = openRegistry(context);
        const init = { params: { path: { skill_id: id } }, signal: context.signal };
        if (file) context.out.value((await fleet.get('/api/skills/{skill_id}/skill.md', init)).data);
        else showSkill(context.out, (await fleet.get('/api/skills/{skill_id}', init)).data as RegistrySkill);
      }),
    );
  skills
    .command('categories')
    .description('list the categories of the registry')
    .action(
      act(async (context) => {
        const { data } = await openRegistry(context).get('/api/categories', { signal: context.signal });
        showCategories(context.out, data.categories);
      }),
    );
};

interface SearchOptions {
  category?: string;
  tag?: string;
  author?: string;
  sort?: 'relevance' | 'name' | 'stars' | 'downloads' | 'updated' | 'trending';
  limit: string;
}

/** The registry is public: credentials stay here. */
function openRegistry({ connect, connection }: Context): Fleet {
  return connect({ url: connection().url });
}

function toSkillsContext(context: Context): SkillsContext {
  const { cwd, env, signal, out, canAsk, options } = context;
  const registry = () => ({
    url: new URL(context.connection().url).href.replace(/\/+$/, ''),
    read: async (id: string) => {
      const init = { params: { path: { skill_id: id } }, signal };
      return (await openRegistry(context).get('/api/skills/{skill_id}', init)).data as RegistrySkill;
    },
  });
  return {
    cwd,
    env,
    signal,
    fetch: (input, init) => fetch(input, init),
    registry,
    progress: (text) => out.progress(text),
    warn: (text) => out.note(`Warning: ${text}`),
    ...(canAsk &&
      !options.yes && {
        choose: (message: string, choices: Choices) => {
          out.progress('');
          return choose(message, choices, signal);
        },
      }),
  };
}

type Choices = readonly { value: string; label: string }[];

async function choose(message: string, choices: Choices, signal: AbortSignal): Promise<string> {
  const { autocomplete, isCancel } = await import('@clack/prompts');
  // Names and descriptions are somebody else's.
  const options = choices.map(({ value, label }) => ({ value, label: safeLine(label) }));
  const answer = await autocomplete({
    message: safeLine(message),
    options,
    maxItems: 12,
    output: process.stderr,
    signal,
  });
  if (isCancel(answer)) throw stoppedError();
  return answer;
}
