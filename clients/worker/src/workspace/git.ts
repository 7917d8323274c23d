import { spawn } from 'node:child_process';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 8 * 1024;

/**
 * Settings of every call. A repository is hostile: none of its hooks, filters, drivers and submodules run, and what it
 * sends is checked. Its own configuration is never read: the folders that Git is given are ours.
 */
const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.askPass=',
  'core.attributesFile=/dev/null',
  'core.autocrlf=false',
  'core.quotePath=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'credential.interactive=false',
  'transfer.fsckObjects=true',
  // Old mistakes of programs in the history of honest repositories.
  'fetch.fsck.zeroPaddedFilemode=ignore',
  'fetch.fsck.missingSpaceBeforeDate=ignore',
  'fetch.fsck.badTimezone=ignore',
  'transfer.bundleURI=false',
  'fetch.recurseSubmodules=false',
  'submodule.recurse=false',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
  'gc.auto=0',
  'maintenance.auto=false',
  'filter.lfs.required=false',
  'filter.lfs.smudge=',
  'filter.lfs.process=',
];

/** Variables of Git that are settings of the user; all others could make it work elsewhere or run something. */
const KEPT_VARIABLE = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|HTTP_\w+|CONFIG_\w+)$/;

const FIXED = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ATTR_NOSYSTEM: '1',
  LC_ALL: 'C',
};

export interface GitOptions {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  input?: string | Buffer;
  /** Ends Git and returns what came until then, when there is more output. Default: 64 MiB, and an error. */
  cutAt?: number;
}

/** A command of Git that failed. Its message is the last lines of what Git said. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** The environment for the worker's own user, with the credentials that Git finds there, over one transport. */
export function userEnvironment(env: NodeJS.ProcessEnv, protocol: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(?:GIT_|SSH_ASKPASS)/.test(name) || KEPT_VARIABLE.test(name));
  return { ...Object.fromEntries(kept), ...FIXED, GIT_ALLOW_PROTOCOL: protocol };
}

/** An environment without configuration or credentials of anybody, and with no transport but files. */
export function bareEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return { PATH: env.PATH, TMPDIR: env.TMPDIR, ...FIXED, ...own, GIT_ALLOW_PROTOCOL: 'file' };
}

/** Runs Git in a process group of its own, without a terminal, all of which ends with the signal. @throws GitError */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { env, signal, input, cutAt } = options;
  signal.throwIfAborted();
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const child = spawn('git', [...settings, ...args], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  process.once('exit', end);
  try {
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [output, said, code] = await Promise.all([
      collect(child.stdout, cutAt ?? MAX_OUTPUT_BYTES, end),
      collect(child.stderr, MAX_ERROR_BYTES),
      new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    signal.throwIfAborted();
    if (output.isCut && cutAt !== undefined) return output.bytes;
    if (output.isCut) throw new GitError('its output is too long');
    if (code !== 0) throw new GitError(lastLines(said.bytes.toString()));
    return output.bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new GitError('git is not installed');
    throw error;
  } finally {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
    end();
  }
}

/** The beginning of a stream; the rest is thrown away, after `onOverflow`. */
async function collect(stream: NodeJS.ReadableStream, maxBytes: number, onOverflow?: () => void) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (length < maxBytes) chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) onOverflow?.();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

function lastLines(said: string): string {
  const lines = said.split('\n').filter((line) => /^(?:fatal|error|remote|ssh)\b/i.test(line));
  const text = lines.slice(-3).join('; ') || said.trim().slice(-300) || 'it failed';
  return text
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\/\/[^/@\s]+@/g, '//')
    .slice(0, 1000);
}
