import { Command } from 'commander';
import { type Act, type Action, type GlobalOptions, type Register, type Runner, VERSION } from './context.ts';

/** Options of `fleet` itself that take a value. */
const WITH_VALUE = new Set(['--url', '--profile', '--timeout']);

/** `--json` takes fields as `--json=a,b` only: commander would take the next argument for them. */
export function withJsonValue(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, at) => (arg === '--json' && (end < 0 || at < end) ? '--json=*' : arg));
}

/** The command of a command line, after the global options. */
export function commandAt(args: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (!arg.startsWith('-')) return at;
    if (WITH_VALUE.has(arg)) at++;
  }
  return args.length;
}

/** `fleet worker` passes what follows on as it is. */
export function splitWorkerArguments(args: readonly string[]): { own: readonly string[]; worker: readonly string[] } {
  const at = commandAt(args);
  if (args[at] !== 'worker') return { own: args, worker: [] };
  return { own: args.slice(0, at + 1), worker: args.slice(at + 1) };
}

interface Group {
  description: string;
  load(runner: Runner): Promise<Register>;
}

/** The commands. A group is loaded when the command line names it: loading all takes longer than most commands. */
const GROUPS: Record<string, Group> = {
  status: {
    description: 'show whether the fleet is up, and how much it has to do',
    load: async () => (await import('./commands/status.ts')).registerStatus,
  },
  agents: {
    description: 'list, create, change, pause and delete agents',
    load: async () => (await import('./commands/agents.ts')).registerAgents,
  },
  tasks: {
    description: 'add tasks, watch them, read their results, cancel and retry them',
    load: async () => (await import('./commands/tasks.ts')).registerTasks,
  },
  events: {
    description: 'list or follow events',
    load: async () => (await import('./commands/events.ts')).registerEvents,
  },
  top: {
    description: 'watch agents, queues, workers and throughput',
    load: async () => (await import('./commands/top.ts')).registerTop,
  },
  worker: {
    description: 'have an agent or a program work on each task (fleet worker --help)',
    load: async ({ worker }) => (await import('./commands/worker.ts')).registerWorkerWith(worker),
  },
  skills: {
    description: 'find skills, and add them to a project',
    load: async () => (await import('./skills/register-skills.ts')).registerSkills,
  },
  login: {
    description: 'sign in, and keep the credentials in a profile',
    load: async () => (await import('./commands/sign-in.ts')).registerLogin,
  },
  logout: {
    description: 'end the sign-in and forget the credentials',
    load: async () => (await import('./commands/sign-in.ts')).registerLogout,
  },
  whoami: {
    description: 'show whose credentials are used and what they may do',
    load: async () => (await import('./commands/sign-in.ts')).registerWhoami,
  },
  users: {
    description: 'manage users',
    load: async () => (await import('./commands/users.ts')).registerUsers,
  },
  keys: {
    description: 'manage API keys',
    load: async () => (await import('./commands/keys.ts')).registerKeys,
  },
  audit: {
    description: 'read the audit trail',
    load: async () => (await import('./commands/audit.ts')).registerAudit,
  },
};

/** The command that prints a shell's script, and the one that the script calls. */
const COMPLETION = ['completion', 'complete'];

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 cancelled or timed out, 4 credentials refused,
5 the watched task failed or was cancelled, 6 the fleet is unavailable, 130 interrupted.`;

/** Builds the program for a command line. Only the groups that it names have their commands. */
export async function createProgram(args: readonly string[], runner: Runner): Promise<Command> {
  const program = new Command('fleet')
    .description('Gives tasks to a fleet of AI agents, watches them, and finds skills for them.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--url <url>', 'address of the fleet')
    .option('--profile <name>', 'credentials and address of fleet login --profile <name>')
    .option('--json [fields]', 'print JSON, with --json=a,b only these fields; streams as one object per line')
    .option('-q, --quiet', 'print ids only, and nothing on stderr but errors')
    .option('--no-color', 'print without colours')
    .option('--no-input', 'never prompt')
    .option('--timeout <seconds>', 'limit of the whole command')
    .option('--debug', 'print each request on stderr')
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText('after', EXIT_CODES)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    // Errors are printed in one place, also as JSON.
    .configureOutput({ outputError: () => {}, writeErr: (text) => void (runner.isJson || process.stderr.write(text)) });

  const act: Act =
    (action) =>
    async (...all) => {
      const command = all.at(-1) as Command;
      const context = runner.open(command.optsWithGlobals() as GlobalOptions);
      const code = await (action as Action<unknown[]>)(context, ...all.slice(0, -1));
      if (code) runner.setExitCode(code);
    };

  const words = args.slice(commandAt(args));
  const isCompletion = COMPLETION.includes(words[0] ?? '');
  for (const [name, { description, load }] of Object.entries(GROUPS)) {
    const command = program.command(name).description(description);
    if (isCompletion || words.includes(name)) (await load(runner))(command, act);
  }
  if (isCompletion) (await import('@bomb.sh/tab/commander')).default(program, { completionCommandName: 'completion' });
  else
    program.command('completion <shell>').description('print the completion script of bash, zsh, fish or powershell');
  return program;
}
