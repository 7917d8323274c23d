import { addAbortSignal } from 'node:stream';
import { createFleet, type Fleet, type FleetOptions } from '@agent-fleet/sdk';
import { exactJson } from '@agent-fleet/sdk/exact-json';
import type { Command } from 'commander';
import { type ExitCode, stoppedError, usageError } from './errors.ts';
import { Output } from './output/output.ts';
import { askYesNo } from './output/terminal.ts';
import { type Connection, findConnection } from './settings/connection.ts';
import { createUserToken } from './settings/user-token.ts';
import { toText } from './text.ts';

/** What the commands get from the one who runs them. */
export interface Runner {
  /** Arguments of `fleet worker`. */
  worker: readonly string[];
  open(options: GlobalOptions): Context;
  setExitCode(code: ExitCode): void;
  isJson: boolean;
}

/** Runs a command with its arguments and options. Its exit code, if it is not 0, is returned. */
export type Action<Arguments extends unknown[] = []> = (
  context: Context,
  ...rest: Arguments
) => Promise<ExitCode | undefined> | Promise<void>;

/** Adds the commands of a group. `act` turns an action into what commander calls. */
export type Register = (command: Command, act: Act) => void;
export type Act = <Arguments extends unknown[]>(action: Action<Arguments>) => (...all: unknown[]) => Promise<void>;

/** The global options, as commander parses them. */
export interface GlobalOptions {
  url?: string;
  profile?: string;
  /** `*` for `--json` alone. */
  json?: string;
  quiet?: boolean;
  color?: boolean;
  input?: boolean;
  timeout?: string;
  debug?: boolean;
  yes?: boolean;
}

/** What a command works with. */
export interface Context {
  options: GlobalOptions;
  env: NodeJS.ProcessEnv;
  cwd: string;
  out: Output;
  /** Aborts on Ctrl-C and at the end of `--timeout`. */
  signal: AbortSignal;
  connection(): Connection;
  /** A fleet with these credentials, or none. @throws CliError for what cannot be a URL or a credential */
  connect(target: Target): Fleet;
  /** The fleet, with the user's credentials. */
  fleet(): Fleet;
  /** Whether a person can be asked. */
  canAsk: boolean;
  /** Asks for confirmation of what cannot be undone, unless `--yes` is given. @throws CliError when it is not given */
  confirm(question: string): Promise<void>;
  /** The text of stdin. */
  readStdin(): Promise<string>;
}

/** A fleet and the credentials for it. */
type Target = Pick<FleetOptions, 'url' | 'apiKey' | 'token' | 'retries'>;

export const VERSION = '1.0.0';
const MAX_STDIN_BYTES = 1024 * 1024;

export interface Streams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** @throws CliError for a wrong value of a global option */
export function createContext(
  options: GlobalOptions,
  { stdin, stdout, stderr }: Streams,
  signal: AbortSignal,
  env = process.env,
  cwd = process.cwd(),
): Context {
  const { json, quiet, color } = options;
  const names = json === undefined || json === '*' ? undefined : json.split(',').map((name) => name.trim());
  const out = new Output({ json: names ?? (json ? true : undefined), quiet, color, env, stdout, stderr });
  const isTerminal = stdin.isTTY === true && stderr.isTTY === true && env.TERM !== 'dumb';
  const canAsk = options.input !== false && !out.isJson && isTerminal;
  let connection: Connection | undefined;
  let fleet: Fleet | undefined;

  const context: Context = {
    options,
    env,
    cwd,
    out,
    signal,
    canAsk,
    connection: () => (connection ??= findConnection(options, env, cwd)),
    connect: (target) => openFleet(target, context),
    fleet: () => (fleet ??= openFleet(credentialsOf(context.connection()), context)),

    async confirm(question) {
      if (options.yes) return;
      if (!canAsk) throw usageError(`Confirmation needed: ${question}`, 'Add --yes to confirm.');
      if (!(await askYesNo({ stderr, signal }, question))) throw stoppedError();
    },

    async readStdin() {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of addAbortSignal(signal, stdin) as AsyncIterable<Buffer | string>) {
        const part = Buffer.from(chunk);
        bytes += part.length;
        if (bytes > MAX_STDIN_BYTES) throw usageError('stdin has more than 1 MiB', 'Send less.');
        chunks.push(part);
      }
      return toText('stdin', () => Buffer.concat(chunks));
    },
  };
  return context;
}

/** What the connection says, in the form that the SDK takes; tokens of a user are refreshed. */
export function credentialsOf({ url, apiKey, token, profile }: Connection): Target {
  const stored = profile?.value;
  const userToken = profile && !stored?.api_key ? createUserToken(url, profile) : undefined;
  return { url, apiKey: apiKey ?? stored?.api_key, token: token ?? userToken };
}

function openFleet(target: Target, { options, out }: Context): Fleet {
  try {
    return createFleet({
      ...target,
      json: exactJson,
      userAgent: `fleet/${VERSION}`,
      fetch: (url, init) => out.whileWaiting(`Waiting for ${target.url}`, fetch(url, init)),
      ...(options.debug && {
        onRequest: ({ method, url, attempt, durationMs, status, requestId, error }) =>
          out.debug(`${method} ${url} ${status ?? error} ${Math.round(durationMs)} ms ${requestId ?? ''} #${attempt}`),
      }),
    });
  } catch (error) {
    // The SDK checks what it is given: an address that is no URL, a key with characters that no header may have.
    throw usageError((error as Error).message, 'Correct --url, the environment or fleet login.');
  }
}
