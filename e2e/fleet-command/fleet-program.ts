import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';

export const BIN = join(ROOT, 'clients/cli/bin/fleet.mjs');
const SCRIPT = '/usr/bin/script';
/** Printed when the terminal no longer shows what is typed. */
const READY = '\x05';
const TIMEOUT_MS = 60_000;

/** `script` of util-linux gives a program a terminal. With `CI=true` it must be there. */
export const HAS_TERMINAL = process.platform === 'linux' && (existsSync(SCRIPT) || process.env.CI === 'true');

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Text for stdin, which ends after it. */
  input?: string;
  /** stdin has no end. */
  isOpen?: boolean;
  /** Answers on the terminal: each is typed when the text before it is on the screen. */
  answers?: readonly (readonly [shown: string, typed: string])[];
  /** stdout is a terminal; and with `answers` stdin and stderr too, which are then part of `stdout`. */
  isTerminal?: boolean;
  /** Each is called once, when `stdout` has its text. */
  on?: readonly (readonly [shown: string, then: (kill: (signal: NodeJS.Signals) => void) => void])[];
}

/** Runs `fleet` as users do, in an empty folder of its own with an own configuration. */
export class FleetProgram {
  readonly home = ownFolder();
  readonly cwd = join(this.home, 'work');
  readonly configPath = join(this.home, '.config/fleet/config.json');
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv = {}) {
    mkdirSync(this.cwd);
    this.#env = {
      PATH: process.env.PATH,
      HOME: this.home,
      TERM: 'xterm',
      XDG_CACHE_HOME: join(ROOT, '.data/cache'),
      ...env,
    };
  }

  run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const {
      env,
      cwd = this.cwd,
      input,
      isOpen = false,
      answers = [],
      isTerminal = answers.length > 0,
      on = [],
    } = options;
    const errors = join(this.home, `stderr-${Math.random()}`);
    const command = [process.execPath, BIN, ...args];
    const line = `stty cols 80 rows 24 -echo; printf '\\005'; exec ${command.map(quote).join(' ')}`;
    const [file, ...rest] = isTerminal
      ? [SCRIPT, '-qec', answers.length > 0 ? line : `${line} 2>${quote(errors)}`, '/dev/null']
      : command;
    const child = spawn(String(file), rest, { cwd, env: { ...this.#env, ...env }, stdio: 'pipe' });
    const kill = (signal: NodeJS.Signals) => void child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    const left = [...answers];
    const expected = [...on];
    let [stdout, stderr] = ['', ''];
    child.stdin.on('error', () => {});
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
      const [shown, typed] = left[0] ?? [];
      if (shown !== undefined && stdout.includes(shown)) {
        left.shift();
        child.stdin.write(String(typed));
      }
      for (const [text, then] of expected.filter(([shown]) => stdout.includes(shown))) {
        expected.splice(
          expected.findIndex(([shown]) => shown === text),
          1,
        );
        then(kill);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    if (input !== undefined && isTerminal) expected.push([READY, () => void child.stdin.end(input)]);
    else if (input !== undefined) child.stdin.end(input);
    else if (!isTerminal && !isOpen) child.stdin.end();
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        if (isTerminal && answers.length === 0) stderr += readFileSync(errors, 'utf8');
        resolve({
          code: code ?? (signal === 'SIGKILL' ? -1 : 0),
          stdout: stdout.replace(READY, '').replaceAll('\r\n', '\n'),
          stderr,
        });
      });
    });
  }

  /** The value of a command with `--json`. @throws if it fails */
  async json<T = Record<string, unknown>>(args: readonly string[], options?: RunOptions): Promise<T> {
    const { stdout, stderr, code } = await this.run([...args, '--json'], options);
    if (code !== 0 || stderr !== '') throw new Error(`fleet ${args.join(' ')}: exit code ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
