import { spawn } from 'node:child_process';
import { hasCode, SkillError } from '../skill-error.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 8 * 1024;

/** Variables of Git that are the user's settings; all others could make it work elsewhere or run something. */
const KEPT_VARIABLE = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|HTTP_\w+|CONFIG_\w+)$/;

/**
 * Settings of every call. The user's own configuration stays: it has the credentials and proxies. A repository brings
 * none, as nothing of it is checked out: no hooks, filters, LFS or submodules.
 */
const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.askPass=',
  'credential.interactive=false',
  'core.bigFileThreshold=1m',
  'fetch.recurseSubmodules=false',
  'fetch.negotiationAlgorithm=noop',
  'gc.auto=0',
  'maintenance.auto=false',
  'filter.lfs.required=false',
  'filter.lfs.smudge=',
  'filter.lfs.process=',
];

export interface GitOptions {
  /** The folder of the repository. */
  folder: string;
  /** Transports that Git may use, whatever its configuration says. */
  protocols: readonly string[];
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/**
 * Runs Git in a session of its own: without a terminal, nothing can ask for a password, and all of it ends together.
 * @throws SkillError `GitMissingError` if there is no Git, or with the last lines of what Git said
 */
export async function runGit(args: readonly string[], options: GitOptions, input?: string): Promise<Buffer> {
  const { folder, env, protocols, signal } = options;
  signal.throwIfAborted();
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const child = spawn('git', [...settings, ...args], {
    cwd: folder,
    env: { ...cleaned(env), ...fixedVariables(folder, protocols) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  };
  signal.addEventListener('abort', end, { once: true });
  process.once('exit', end);
  try {
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [output, said, code] = await Promise.all([
      collect(child.stdout, MAX_OUTPUT_BYTES, end),
      collect(child.stderr, MAX_ERROR_BYTES),
      new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    signal.throwIfAborted();
    if (output === undefined) throw new SkillError('The repository is too large to be listed', 'Clone it yourself.');
    if (code !== 0) throw failed(said?.toString('utf8') ?? '');
    return output;
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new GitMissingError() : error;
  } finally {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
  }
}

export class GitMissingError extends SkillError {
  constructor() {
    super('Git is not installed', 'Install Git; only repositories on GitHub can be read without it.');
  }
}

function cleaned(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(?:GIT_|SSH_ASKPASS)/.test(name) || KEPT_VARIABLE.test(name)),
  );
}

function fixedVariables(folder: string, protocols: readonly string[]): Record<string, string> {
  return {
    GIT_DIR: folder,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
}

/** All of a stream; with `onOverflow` undefined if it is too long, else its end. */
async function collect(stream: NodeJS.ReadableStream, maxBytes: number, onOverflow?: () => void) {
  const chunks: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    while (length > maxBytes && !onOverflow && chunks.length > 1) length -= chunks.shift()?.length ?? 0;
    if (length > maxBytes && onOverflow) {
      isTooLong = true;
      chunks.length = 0;
      onOverflow();
    }
  }
  return isTooLong ? undefined : Buffer.concat(chunks);
}

function failed(said: string): SkillError {
  const lines = said.split('\n').filter((line) => /^(?:fatal|error|remote|ssh)\b/i.test(line));
  const message = (lines.slice(-3).join('; ') || said.trim().slice(-300) || 'it failed').replace(
    /[\p{Cc}\p{Cf}]/gu,
    ' ',
  );
  return new SkillError(`Git cannot fetch the repository: ${message}`, hintFor(message));
}

function hintFor(message: string): string {
  if (/couldn't find remote ref|not our ref|bad object|no such remote ref/i.test(message)) {
    return 'Name a branch, a tag or a whole commit of the repository: <source>#<ref>.';
  }
  if (
    /could not read username|authentication failed|permission denied|terminal prompts disabled|403|401/i.test(message)
  ) {
    return 'If the repository is private, set up a credential helper of Git or an SSH key; prompts are off here.';
  }
  if (/not found|does not exist|does not appear to be/i.test(message)) return 'Check the name of the repository.';
  return 'Check the address and your connection, and try again.';
}
