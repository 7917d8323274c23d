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

/** The commands, each with an example. */
const GROUPS: Record<string, [description: string, example: string]> = {
  status: ['show whether the fleet is up, and how much it has to do', 'fleet status --json=ready'],
  agents: ['list, create, change, pause and delete agents', "fleet agents create 'Release notes' --type claude"],
  apply: ['create and change agents as Markdown files say', 'fleet apply .claude/agents --dry-run'],
  tasks: [
    'add tasks, watch them, read their results, cancel and retry them',
    "fleet tasks add 'Release notes' 'Write them' --tag release --wait",
  ],
  inbox: ['show what tasks ask, and how to answer', 'fleet inbox --follow'],
  ask: ['ask people, from a program of fleet worker --exec', "fleet ask --option yes=Yes --option no=No 'Push it?'"],
  tell: ['write to the log, from a program of fleet worker --exec', "fleet tell 'Reading the commits'"],
  events: ['list or follow events', 'fleet events --follow --types task.failed'],
  top: ['watch agents, queues, workers and throughput', 'fleet top --interval 5'],
  stats: ['show counts, throughput and times of the last minutes', 'fleet stats --json'],
  spend: ['show what was spent over time', 'fleet spend --step month --group-by user'],
  workers: ['list workers', 'fleet workers --limit 20'],
  open: ['print the address of a page of the console, and open it', "fleet open 'Release notes'"],
  doctor: ['check the address, the clock, the credentials, the versions and the programs of agents', 'fleet doctor'],
  worker: ['have an agent or a program work on each task (fleet worker --help)', 'fleet worker --runtime codex'],
  skills: ['find skills, and add them to a project', "fleet skills search 'release notes'"],
  login: [
    'sign in, and keep the credentials in a profile',
    'fleet login --url https://fleet.example.com --user me@example.com',
  ],
  logout: ['end the sign-in and forget the credentials', 'fleet logout'],
  whoami: ['show whose credentials are used and what they may do', 'fleet whoami'],
  users: ['manage users', 'fleet users create me@example.com --role operator'],
  keys: ['manage API keys', 'fleet keys create ci --role worker --days 90 > key.txt'],
  audit: ['read the audit trail', 'fleet audit --action user.created'],
};

/** A group is loaded when the command line names it: loading all takes longer than most commands. */
const LOADERS: Record<keyof typeof GROUPS, (runner: Runner) => Promise<Register>> = {
  status: async () => (await import('./commands/status.ts')).registerStatus,
  agents: async () => (await import('./commands/agents.ts')).registerAgents,
  apply: async () => (await import('./commands/apply.ts')).registerApply,
  tasks: async () => (await import('./commands/tasks.ts')).registerTasks,
  inbox: async () => (await import('./commands/conversation/inbox.ts')).registerInbox,
  ask: async () => (await import('./commands/conversation/ask.ts')).registerAsk,
  tell: async () => (await import('./commands/conversation/ask.ts')).registerTell,
  events: async () => (await import('./commands/events.ts')).registerEvents,
  top: async () => (await import('./commands/top.ts')).registerTop,
  stats: async () => (await import('./commands/top.ts')).registerStats,
  spend: async () => (await import('./commands/spend.ts')).registerSpend,
  workers: async () => (await import('./commands/top.ts')).registerWorkers,
  open: async () => (await import('./commands/open.ts')).registerOpen,
  doctor: async () => (await import('./commands/doctor.ts')).registerDoctor,
  worker: async ({ worker }) => (await import('./commands/worker.ts')).registerWorkerWith(worker),
  skills: async () => (await import('./skills/register-skills.ts')).registerSkills,
  login: async () => (await import('./commands/sign-in.ts')).registerLogin,
  logout: async () => (await import('./commands/sign-in.ts')).registerLogout,
  whoami: async () => (await import('./commands/sign-in.ts')).registerWhoami,
  users: async () => (await import('./commands/users.ts')).registerUsers,
  keys: async () => (await import('./commands/keys.ts')).registerKeys,
  audit: async () => (await import('./commands/audit.ts')).registerAudit,
};

/** The command that prints a shell's script, and the one that the script calls. */
const COMPLETION = ['completion', 'complete'];

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 cancelled or timed out, 4 credentials refused,
5 the watched task failed or was cancelled, 6 the fleet is unavailable, 7 the task needs input, 8 --dry-run found
something to do, 130 interrupted.`;

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
    .addHelpText('afterAll', '\nGuide: /guide of the fleet, which fleet open guide opens.')
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
  for (const [name, [description, example]] of Object.entries(GROUPS)) {
    const command = program
      .command(name)
      .description(description)
      .addHelpText('afterAll', `\nExample:\n  $ ${example}`);
    if (isCompletion || words.includes(name)) (await LOADERS[name]?.(runner))?.(command, act);
  }
  if (isCompletion) (await import('@bomb.sh/tab/commander')).default(program, { completionCommandName: 'completion' });
  else
    program.command('completion <shell>').description('print the completion script of bash, zsh, fish or powershell');
  return program;
}
