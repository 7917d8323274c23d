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
