import { spawn } from 'node:child_process';
import { hasCode } from './skill-error.ts';

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 8 * 1024;

/** Settings of every call. A repository is hostile: none of its hooks, filters and submodules run. */
const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.askPass=',
  'credential.interactive=false',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'filter.lfs.required=false',
  'filter.lfs.smudge=',
  'filter.lfs.process=',
];

/** Variables of Git that are settings of the user; all others could make it work elsewhere or run something. */
const KEPT_VARIABLE = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|HTTP_\w+|CONFIG_\w+)$/;

const FIXED_VARIABLES = {
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
  /** Default `/`. */
  folder?: string;
  /** Beside those of every call, as `name=value`. */
  settings?: readonly string[];
  input?: string | Buffer;
  /** Ends Git and returns what came until then, when there is more output. Default: 64 MiB, and an error. */
  cutAt?: number;
}

/** A command of Git that failed. Its message is the last lines of what Git said. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** `missing`: Git is not installed. */
  readonly kind: 'failed' | 'missing' | 'too-long';

  constructor(message: string, kind: 'failed' | 'missing' | 'too-long' = 'failed') {
    super(message);
    this.kind = kind;
  }
}

/** The environment of a user, whose configuration has credentials and proxies, over these transports only. */
export function userEnvironment(env: NodeJS.ProcessEnv, protocols: readonly string[]): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(?:GIT_|SSH_ASKPASS)/.test(name) || KEPT_VARIABLE.test(name));
  return { ...Object.fromEntries(kept), ...FIXED_VARIABLES, GIT_ALLOW_PROTOCOL: protocols.join(':') };
}

/** An environment without configuration or credentials of anybody, and with no transport but files. */
export function bareEnvironment({ PATH, TMPDIR }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const nobody = { HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  return { PATH, TMPDIR, ...FIXED_VARIABLES, ...nobody, GIT_ALLOW_PROTOCOL: 'file' };
}

/** Whether Git reads a text as one branch, tag or commit, and as no option or refspec. */
export function isRef(ref: string): boolean {
  return /^(?![-+/.])[^\s\p{Cc}~^:?*[\\]{1,255}$/u.test(ref) && !/\.\.|@\{|\/\/|\.lock$|[./]$/.test(ref);
}

/**
 * Runs Git in a session of its own: without a terminal, nothing can ask for a password, and all of it ends with the
 * signal. @throws GitError
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { env, signal, folder = '/', settings = [], input, cutAt } = options;
  signal.throwIfAborted();
  const child = spawn('git', [...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting]), ...args], {
    cwd: folder,
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
      endOf(child.stderr, MAX_ERROR_BYTES),
      new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ]);
    signal.throwIfAborted();
    if (output.isCut && cutAt !== undefined) return output.bytes;
    if (output.isCut) throw new GitError('its output is too long', 'too-long');
    if (code !== 0) throw new GitError(lastLines(said));
    return output.bytes;
  } catch (error) {
    throw hasCode(error, 'ENOENT') ? new GitError('git is not installed', 'missing') : error;
  } finally {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
    end();
  }
}

/** The beginning of a stream; the rest is thrown away, after `onOverflow`. */
async function collect(stream: NodeJS.ReadableStream, maxBytes: number, onOverflow: () => void) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (length < maxBytes) chunks.push(chunk);
    length += chunk.length;
    if (length > maxBytes) onOverflow();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: length > maxBytes };
}

/** The last bytes of a stream, as text. */
async function endOf(stream: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  let end = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) end = Buffer.concat([end, chunk]).subarray(-maxBytes);
  return end.toString();
}

/** Harmless for a terminal, and without the credentials of a URL. */
function lastLines(said: string): string {
  const lines = said.split('\n').filter((line) => /^(?:fatal|error|remote|ssh)\b/i.test(line));
  const text = lines.slice(-3).join('; ') || said.trim().slice(-300) || 'it failed';
  return text
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .replace(/\/\/[^/@\s]+@/g, '//')
    .slice(0, 1000);
}
