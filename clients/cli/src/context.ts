import { createFleet, type Fleet } from '@agent-fleet/sdk';
import { stoppedError, usageError } from './errors.ts';
import { createOutput, type Output } from './output/output.ts';
import { type Connection, findConnection } from './settings/connection.ts';
import { createUserToken } from './settings/user-token.ts';

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
  /** The fleet, with the user's credentials. */
  fleet(): Fleet;
  /** Whether a person can be asked. */
  canAsk: boolean;
  /** Asks before what cannot be undone; `--yes` says yes. @throws CliError when the user says no or cannot be asked */
  confirm(question: string): Promise<void>;
  /** The text of stdin. */
  readStdin(): Promise<string>;
}

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
  const out = createOutput({ json: names ?? (json ? true : undefined), quiet, color, env, stdout, stderr });
  const canAsk = options.input !== false && !out.isJson && stdin.isTTY === true && stderr.isTTY === true;
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
    fleet: () => (fleet ??= openFleet(context)),

    async confirm(question) {
      if (options.yes) return;
      if (!canAsk) throw usageError(`${question} Nobody can be asked here`, 'Add --yes.');
      const { confirm, isCancel } = await import('@clack/prompts');
      const answer = await confirm({ message: question, initialValue: false, output: stderr, signal });
      if (isCancel(answer) || !answer) throw stoppedError();
    },

    async readStdin() {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of stdin as AsyncIterable<Buffer | string>) {
        const part = Buffer.from(chunk);
        bytes += part.length;
        if (bytes > MAX_STDIN_BYTES) throw usageError('stdin has more than 1 MiB', 'Send less.');
        chunks.push(part);
        signal.throwIfAborted();
      }
      return Buffer.concat(chunks).toString();
    },
  };
  return context;
}

function openFleet({ connection, options, out }: Context): Fleet {
  const { url, apiKey, token, profile } = connection();
  const stored = profile?.value;
  const userToken = profile && !stored?.api_key ? createUserToken(url, profile) : undefined;
  try {
    return createFleet({
      url,
      apiKey: apiKey ?? stored?.api_key,
      token: token ?? userToken,
      userAgent: `fleet/${VERSION}`,
      ...(options.debug && {
        onRequest: ({ method, url: target, attempt, durationMs, status, requestId, error }) =>
          out.debug(
            `${method} ${target} ${status ?? error} ${Math.round(durationMs)} ms ${requestId ?? ''} #${attempt}`,
          ),
      }),
    });
  } catch (error) {
    // The SDK checks what it is given: an address that is no URL, a key with characters that no header may have.
    throw usageError((error as Error).message, 'Correct --url, the environment or fleet login.');
  }
}
