import { setTimeout as sleep } from 'node:timers/promises';
import { AGENTS, DEFINITIONS, type Story } from './stories.ts';

const POLL_MS = 500;
/** A task runs so long before it is cancelled. */
const CANCEL_MS = 10_000;

/** What a client of the fleet would do. */
export class DemoApi {
  readonly url: string;
  readonly key: string;
  readonly #signal: AbortSignal;

  /** `signal` ends all calls and waits. */
  constructor(url: string, key: string, signal: AbortSignal) {
    this.url = url;
    this.key = key;
    this.#signal = signal;
  }

  /** The ids of the agents by their names. */
  async createAgents(): Promise<Record<string, string>> {
    const ids: Record<string, string> = {};
    for (const [name, type] of Object.entries(AGENTS)) {
      ids[name] = String((await this.#call('POST', '/agents', { name, type })).id);
      for (const version of DEFINITIONS[name] ?? [])
        await this.#call('PUT', `/agents/${ids[name]}/definition`, version);
    }
    return ids;
  }

  /** `repository`: of the stories that have one. Returns the path of the task. */
  async add(story: Story, agents: Record<string, string>, repository?: string): Promise<string> {
    const { agent, message, tags, skills, hasRepository, maxAttempts } = story;
    const path = `/agents/${agents[agent]}/tasks`;
    const { id } = await this.#call('POST', path, {
      ...{ message, tags, skills, max_attempts: maxAttempts },
      ...(hasRepository && { workspace: { repository } }),
    });
    return `${path}/${id}`;
  }

  async cancelOnceRunning(path: string): Promise<void> {
    const isRunning = async () => (await this.#call('GET', path)).status === 'running';
    while (!(await isRunning())) await sleep(POLL_MS, undefined, { signal: this.#signal });
    await sleep(CANCEL_MS, undefined, { signal: this.#signal });
    await this.#call('PUT', `${path}/cancellation`);
  }

  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const response = await fetch(this.url + path, {
      method,
      headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: this.#signal,
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  }
}
