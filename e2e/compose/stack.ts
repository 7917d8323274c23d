import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandOptions, readCommand, runCommand } from '@agent-fleet/scripts/testing/command';

/** Beside other parts of the CI. */
const BUILD_TIMEOUT_MS = 600_000;
const UP_TIMEOUT_MS = 300_000;
const POLL_MS = 250;
const KILL_TIMEOUT_MS = 60_000;
/** The exit code of a command that SIGKILL ends. */
const KILLED = 137;
/** Lines per container. */
const READ_LOG_LINES = 2_000;
const SHOWN_LOG_LINES = 30;
const ORDINARY_REQUEST = /"status":[1-4]\d\d,.*"msg":"request"/;

export interface StackOptions {
  project: string;
  /** For the file with the variables. */
  folder: string;
  /** Of docker-compose.yml and the files over it. */
  variables: Readonly<Record<string, string | number>>;
  signal: AbortSignal;
}

/** The containers of docker-compose.yml under their own project name, by `docker compose` or `docker-compose`. */
export class Stack {
  readonly #options: StackOptions;
  readonly #envFile: string;
  #variables: StackOptions['variables'];
  readonly #compose: readonly string[];

  private constructor(options: StackOptions, compose: readonly string[]) {
    this.#options = options;
    this.#envFile = join(options.folder, `${options.project}.env`);
    this.#variables = options.variables;
    this.#compose = compose;
  }

  /** Removes what a killed run has left. */
  static async create(options: StackOptions): Promise<Stack> {
    const hasPlugin = await readCommand('docker', ['compose', 'version'], options).then(
      () => true,
      () => false,
    );
    const stack = new Stack(options, hasPlugin ? ['docker', 'compose'] : ['docker-compose']);
    await stack.#writeVariables();
    await stack.remove();
    return stack;
  }

  async #writeVariables(): Promise<void> {
    const lines = Object.entries(this.#variables).map(([name, value]) => `${name}=${value}\n`);
    await writeFile(this.#envFile, lines.join(''), { mode: 0o600 });
  }

  async build(): Promise<void> {
    await this.compose(['build'], { timeoutMs: BUILD_TIMEOUT_MS });
  }

  /** Starts all stopped containers, with `scale` replicas of a service; waits as `depends_on` requires. */
  async up(scale: Readonly<Record<string, number>> = {}): Promise<void> {
    const scales = Object.entries(scale).flatMap(([service, count]) => ['--scale', `${service}=${count}`]);
    await this.compose(['up', '-d', '--no-recreate', ...scales], { timeoutMs: UP_TIMEOUT_MS });
  }

  /** Sets an environment variable of containers that are created from now on. */
  async setVariable([name, value]: readonly [string, string]): Promise<void> {
    this.#variables = { ...this.#variables, [name]: value };
    await this.#writeVariables();
  }

  /** Replaces the containers of a service one by one, by the program for operators. */
  rollingUpdate(service: string): Promise<string> {
    const { project, signal } = this.#options;
    const args = ['--project-name', project, '--env-file', this.#envFile, service];
    return readCommand('deploy/rolling-update', args, { signal, env: cleanEnvironment(), timeoutMs: UP_TIMEOUT_MS });
  }

  /**
   * Removes the containers, but not their data. The load balancer would wait longer for clients that keep connections.
   */
  async down(): Promise<void> {
    await this.compose(['down', '--timeout', '10']);
  }

  /** Removes everything of this project except the images, even after a failed run. */
  async remove(): Promise<void> {
    const signal = AbortSignal.timeout(UP_TIMEOUT_MS);
    await this.compose(['down', '--volumes', '--remove-orphans', '--timeout', '0'], {
      signal,
      timeoutMs: UP_TIMEOUT_MS,
    });
  }

  /** The last log lines of the containers, without those of successful and refused requests. Does not throw. */
  async logs(): Promise<string> {
    const options = { signal: AbortSignal.timeout(30_000) };
    const text = await this.compose(['logs', '--no-color', `--tail=${READ_LOG_LINES}`], options).catch(String);
    const lines = text.split('\n').filter((line) => !ORDINARY_REQUEST.test(line));
    const byContainer = Map.groupBy(lines, (line) => line.split('|', 1)[0]);
    return [...byContainer.values()].flatMap((some) => some.slice(-SHOWN_LOG_LINES)).join('\n');
  }

  /** The ids of the running containers of a service. */
  replicas(service: string): Promise<string[]> {
    return this.#list(service, '{{.ID}}');
  }

  /** @throws if not all replicas of a service are healthy within `timeoutMs` */
  async waitHealthy(service: string, replicas: number, timeoutMs = 180_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const states = await this.#list(service, '{{.Status}}');
      if (states.length === replicas && states.every((state) => state.endsWith('(healthy)'))) return;
      if (Date.now() > deadline) throw new Error(`${service}: ${states.join(', ')} after ${timeoutMs / 1_000} s`);
      await sleep(POLL_MS, undefined, { signal: this.#options.signal });
    }
  }

  /** A line for each running container. By Docker: docker-compose takes half a second of a processor for an answer. */
  async #list(service: string, format: string): Promise<string[]> {
    const labels = { project: this.#options.project, service };
    const filters = Object.entries(labels).flatMap(([name, value]) => [
      '--filter',
      `label=com.docker.compose.${name}=${value}`,
    ]);
    return (await this.docker(['ps', '--no-trunc', '--format', format, ...filters])).split('\n').filter(Boolean);
  }

  /** Reads one value of `docker inspect`, by a Go template. */
  async inspect(id: string, template: string): Promise<string> {
    return (await this.docker(['inspect', '--format', template, id])).trim();
  }

  exec(id: string, command: readonly string[]): Promise<string> {
    return this.docker(['exec', id, ...command]);
  }

  /**
   * Kills the main process of a container with SIGKILL from inside the container, after a shell script has run there.
   * After `docker kill`, Docker would not restart the container. The shell itself is killed where the container ends
   * before the shell does.
   */
  async kill(id: string, first = ''): Promise<void> {
    const restarts = await this.inspect(id, '{{.RestartCount}}');
    const { exitCode, stderr } = await runCommand('docker', ['exec', id, 'sh', '-c', `${first} kill -9 -1`], {
      ...this.#options,
      timeoutMs: KILL_TIMEOUT_MS,
    });
    if (exitCode !== 0 && exitCode !== KILLED) throw new Error(`Not killed (${exitCode}): ${stderr}`);
    const deadline = Date.now() + KILL_TIMEOUT_MS;
    while ((await this.inspect(id, '{{.RestartCount}}')) === restarts) {
      if (Date.now() > deadline) throw new Error(`Killed, and not restarted within ${KILL_TIMEOUT_MS / 1_000} s`);
      await sleep(POLL_MS, undefined, { signal: this.#options.signal });
    }
  }

  docker(args: readonly string[]): Promise<string> {
    return readCommand('docker', args, this.#options);
  }

  compose(args: readonly string[], options: Partial<CommandOptions> = {}): Promise<string> {
    const [file = '', ...first] = this.#compose;
    const { project, signal } = this.#options;
    return readCommand(file, [...first, '--project-name', project, '--env-file', this.#envFile, ...args], {
      signal,
      env: cleanEnvironment(),
      ...options,
    });
  }
}

/** Variables such as JWT_SECRET in the shell would override the file. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(PATH|HOME|DOCKER_.*|BUILDKIT_.*|.*_IMAGE)$/.test(name)),
  );
}
