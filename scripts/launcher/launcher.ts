import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LaunchError } from '../local/launch-error.ts';
import { freePorts, reservePort } from '../local/ports.ts';
import { findRedis, startRedis } from '../local/redis-server.ts';
import { type ServiceName, UPSTREAMS } from '../services.ts';
import type { Credentials } from './credentials.ts';
import { failureLines } from './failure-lines.ts';
import { untilReady } from './readiness.ts';
import { launchService, logFile, type Wiring } from './services.ts';
import { type Settings, shownPath } from './settings.ts';
import { Supervisor } from './supervisor.ts';
import { startWebBuild } from './web-build.ts';

const READY_TIMEOUT_MS = 60_000;

export interface LauncherOptions {
  settings: Settings;
  credentials: Credentials;
  say(line: string): void;
  /** Called when a part has ended and will not be restarted, after `start` has resolved. */
  onFailure(error: LaunchError): void;
}

/** Runs Redis and every service as child processes. */
export class Launcher {
  readonly #options: LauncherOptions;
  readonly #parts = new Map<ServiceName | 'redis', Supervisor>();
  /** Aborted when a part fails, or `stop` is called, before all are ready. */
  readonly #starting = new AbortController();
  #isReady = false;

  constructor(options: LauncherOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the gateway reports that all are ready, with whether it serves the catalogue and the console.
   * @throws LaunchError with the output of the part that failed
   */
  async start(): Promise<{ hasPages: boolean }> {
    const { settings, say } = this.#options;
    const { signal } = this.#starting;
    mkdirSync(join(settings.dataDir, 'logs'), { recursive: true, mode: 0o700 });
    reservePort(settings.port);
    const web = startWebBuild({ env: process.env, say });
    signal.addEventListener('abort', () => void web.stop());
    const redisUrl = await this.#startRedis();
    const wiring = { ...this.#options, redisUrl, ports: await freePorts(UPSTREAMS) };
    signal.throwIfAborted();
    for (const name of UPSTREAMS) this.#startService(name, wiring);
    const webRoot = await web.folder;
    signal.throwIfAborted();
    this.#startService('gateway', { ...wiring, webRoot });
    await untilReady(settings.url, READY_TIMEOUT_MS, signal);
    this.#isReady = true;
    return { hasPages: webRoot !== undefined };
  }

  /** Stops the gateway first and Redis last, so that no part loses what it depends on. */
  async stop(): Promise<void> {
    this.#starting.abort(new LaunchError('Stopped before it was ready'));
    await this.#parts.get('gateway')?.stop();
    await Promise.all(UPSTREAMS.map((name) => this.#parts.get(name)?.stop()));
    await this.#parts.get('redis')?.stop();
  }

  /** Ends all processes at once. */
  async kill(): Promise<void> {
    await Promise.all([...this.#parts.values()].map((part) => part.kill()));
  }

  async #startRedis(): Promise<string> {
    const { settings, say } = this.#options;
    if (settings.redisUrl !== undefined) {
      say('Redis: the one of REDIS_URL');
      return settings.redisUrl;
    }
    const dir = join(settings.dataDir, 'redis');
    const command = findRedis(say);
    const server = await startRedis(command, { dir });
    const { url, port, password } = server;
    this.#parts.set(
      'redis',
      new Supervisor('redis', server, {
        ...this.#supervision((message) => message),
        restart: () => startRedis(command, { dir, port, password }),
      }),
    );
    say(`Redis: ${command}, its data in ${shownPath(dir)}`);
    return url;
  }

  #startService(name: ServiceName, wiring: Wiring): void {
    let process = launchService(name, wiring);
    const log = shownPath(logFile(wiring.settings, name));
    this.#parts.set(
      name,
      new Supervisor(name, process, {
        ...this.#supervision((message) =>
          [...failureLines(process.printed()), `${message}, its log: ${log}`].join('\n'),
        ),
        restart: () => {
          process = launchService(name, wiring);
          return process;
        },
      }),
    );
  }

  #supervision(explain: (message: string) => string) {
    return {
      say: this.#options.say,
      mayRestart: () => this.#isReady,
      giveUp: (message: string) => {
        const error = new LaunchError(explain(message));
        if (this.#isReady) this.#options.onFailure(error);
        else this.#starting.abort(error);
      },
    };
  }
}
