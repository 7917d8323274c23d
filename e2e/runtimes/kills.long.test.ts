import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, type Exit, startChild } from '@agent-fleet/scripts/local/child-process';
import { ROOT } from '@agent-fleet/scripts/services';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Api } from '../harness/api.ts';
import { CONTROLS_PROCESSES, logOmittedTests } from '../harness/system.ts';
import { attemptProcesses } from './processes.ts';

const SECONDS = Number(process.env.E2E_KILL_SECONDS || 20);
/** How long a process may live once its lease is lost. */
const STRAY_MS = 15_000;
const DRAIN_MS = 180_000;
const WORKERS = ['a', 'b', 'c'] as const;
const QUEUED = 12;
const ENDS = ['task.completed', 'task.failed', 'task.cancelled'];

/** Looks like Codex. Leaves processes outside of its group and, at random, hangs, fails, or takes its time. */
const RUNTIME = `#!/bin/sh
[ "$1" = --version ] && { echo 'codex-cli 0.171.0'; exit; }
read -r line
echo '{"id":1,"result":{}}'
read -r line; read -r line
printf '{"id":2,"result":{"thread":{"id":"%s"}}}\\n' "$FLEET_TASK_ID"
read -r line
echo '{"id":3,"result":{"turn":{"id":"t"}}}'
setsid sleep 900 </dev/null >/dev/null 2>&1 &
(setsid sh -c 'trap "" TERM; sleep 901' </dev/null >/dev/null 2>&1 &)
echo work >"$HOME/file"
case $(od -An -N1 -tu1 /dev/urandom | tr -d ' ') in
  ?) sleep 900 ;;
  1?) exit 1 ;;
  2?) exit 0 ;;
  3?) trap '' TERM; sleep 4 ;;
  *) sleep "1.$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')" ;;
esac
say() { printf '{"method":"%s","params":{"threadId":"%s",%s}}\\n' "$1" "$FLEET_TASK_ID" "$2"; }
say item/completed '"item":{"id":"i","type":"agentMessage","text":"done"}'
say turn/completed '"turn":{"id":"t","status":"completed"}'
`;

const api = new Api();
const folder = ownFolder();

beforeAll(() => api.open({ ownRedis: startTestRedis }), 180_000);
afterAll(() => api.close(), 180_000);

if (CONTROLS_PROCESSES) describe(`With kills for ${SECONDS} s of workers, runtimes and the gateway,`, specifyKills);
else logOmittedTests('killing workers');

function specifyKills(): void {
  test(
    'each task ends once, no process outlives its lease, and no workspace is left beyond the rule',
    async () => {
      const runtime = join(folder, 'codex');
      writeFileSync(runtime, RUNTIME);
      chmodSync(runtime, 0o755);
      const agent = await api.createAgent({ type: 'gpt' });
      const workers = WORKERS.map((name) => new RuntimeWorker(name, runtime));
      const strays = new StrayWatch();
      const tasks: string[] = [];
      const deleted = new Set<string>();
      const kills = { worker: 0, runtime: 0, gateway: 0, lease: 0 };
      const endsAt = Date.now() + SECONDS * 1_000;
      const watching = strays.watch(() => heldLeases(agent.id));

      async function fill(): Promise<void> {
        const { json } = await api.get(`/tasks?status=pending&agent_id=${agent.id}&limit=${QUEUED}&fields=id`);
        for (let count = (json as unknown[]).length; count < QUEUED; count++) {
          const fields = { max_attempts: 10, timeout_seconds: 60, retry_policy: { delay_seconds: 0 } };
          tasks.push((await api.createTask(agent.id, fields)).id);
        }
      }

      async function feed(): Promise<void> {
        while (Date.now() < endsAt) {
          // The gateway may be down.
          await fill().catch(() => {});
          await sleep(500);
        }
      }

      async function kill(): Promise<void> {
        while (Date.now() < endsAt) {
          await sleep(500 + 4_000 * Math.random());
          const victim = pick(['worker', 'worker', 'runtime', 'runtime', 'lease', 'gateway'] as const);
          if (victim === 'worker') await pick(workers).killAndRestart();
          else if (victim === 'runtime') killRuntime(runtime);
          else if (victim === 'lease') await deleteRunning(agent.id, deleted);
          else {
            await api.fleet.services.gateway.kill();
            await sleep(3_000 * Math.random());
            await api.fleet.services.gateway.start();
            await api.fleet.untilReady();
          }
          kills[victim] += 1;
        }
      }

      await Promise.all([feed(), kill()]);
      await until(async () => (await openTasks(agent.id)) === 0, { message: 'all tasks end', timeoutMs: DRAIN_MS });
      await Promise.all(workers.map((worker) => worker.stop()));
      await strays.stop(watching);

      const ends = await endsOf(agent.id);
      console.info({ tasks: tasks.length, kills, processes: strays.seen, longestStrayMs: strays.longestMs });
      expect(strays.seen).toBeGreaterThan(tasks.length);
      expect(tasks.filter((id) => !ends.has(id) && !deleted.has(id))).toEqual([]);
      expect([...ends].filter(([, count]) => count !== 1)).toEqual([]);
      expect(strays.violations).toEqual([]);
      for (const worker of workers) expect(worker.leftAttempts()).toEqual([]);
    },
    (SECONDS + 400) * 1_000,
  );
}

/** A worker with a workspaces folder of its own, which keeps nothing. */
class RuntimeWorker {
  readonly #workspaces: string;
  readonly #args: string[];
  #child: Child;

  constructor(name: string, runtime: string) {
    this.#workspaces = join(folder, `workspaces-${name}`);
    const own = ['--workspaces', this.#workspaces, '--keep-workspaces', 'none'];
    const lease = ['--lease-seconds', '8', '--concurrency', '3'];
    this.#args = ['--runtime', 'codex', '--runtime-path', runtime, ...own, ...lease];
    this.#child = this.#start();
  }

  #start(): Child {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      FLEET_URL: api.baseUrl,
      FLEET_API_KEY: api.apiKey,
      OPENAI_API_KEY: 'not a real key',
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
    };
    const program = join(ROOT, 'clients/worker/src/cli/main.ts');
    return startChild(join(ROOT, 'node_modules/.bin/node'), [program, ...this.#args], { env, endsWithParent: false });
  }

  async killAndRestart(): Promise<void> {
    await this.#end('SIGKILL');
    await sleep(4_000 * Math.random());
    this.#child = this.#start();
  }

  async stop(): Promise<void> {
    // It was perhaps killed and started just now.
    await until(() => this.#child.printed().includes('Taking '), { message: 'the worker takes tasks' });
    expect((await this.#end('SIGTERM')).code).toBe(0);
  }

  /** Folders of attempts that are still there. */
  leftAttempts(): string[] {
    const isTask = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
    return readdirSync(this.#workspaces, { recursive: true, encoding: 'utf8' }).filter((path) => isTask.test(path));
  }

  #end(signal: NodeJS.Signals): Promise<Exit> {
    if (!this.#child.isRunning()) throw new Error(`The worker has exited: ${this.#child.printed().slice(-2_000)}`);
    this.#child.signal(signal);
    return this.#child.exited;
  }
}

/** An attempt as its processes name it. */
const nameOf = (task: string, attempt: number | string) => `${task}/${attempt}`;

/** Watches the processes of attempts: how long they live without a lease. */
class StrayWatch {
  readonly violations: string[] = [];
  longestMs = 0;
  readonly #seen = new Set<string>();
  readonly #since = new Map<number, number>();
  #isStopped = false;

  /** Processes of attempts that were seen. */
  get seen(): number {
    return this.#seen.size;
  }

  async watch(held: () => Promise<Set<string> | undefined>): Promise<void> {
    while (!this.#isStopped) {
      const found = processesOfAttempts();
      const running = await held();
      if (running) this.#compare(found, running);
      await sleep(500);
    }
  }

  /** Also waits until no process is left. */
  async stop(watching: Promise<void>): Promise<void> {
    await until(() => processesOfAttempts().size === 0, { message: 'no process is left', timeoutMs: STRAY_MS });
    this.#isStopped = true;
    await watching;
  }

  #compare(found: Map<number, string>, running: Set<string>): void {
    const now = performance.now();
    for (const pid of this.#since.keys()) if (!found.has(pid)) this.#since.delete(pid);
    for (const [pid, name] of found) {
      this.#seen.add(`${pid} ${name}`);
      if (running.has(name)) {
        this.#since.delete(pid);
        continue;
      }
      const since = this.#since.get(pid) ?? now;
      this.#since.set(pid, since);
      this.longestMs = Math.max(this.longestMs, Math.round(now - since));
      if (now - since > STRAY_MS) this.violations.push(`${name}: process ${pid}`);
    }
  }
}

/** The processes of this test's workers by id, with the attempt of each. */
function processesOfAttempts(): Map<number, string> {
  const ours = attemptProcesses().filter(({ env }) => env.HOME?.startsWith(folder));
  return new Map(ours.map(({ pid, env }) => [pid, nameOf(env.FLEET_TASK_ID as string, env.FLEET_ATTEMPT as string)]));
}

function killRuntime(program: string): void {
  const ours = attemptProcesses().filter(
    ({ command, env }) => command.includes(program) && env.HOME?.startsWith(folder),
  );
  const pids = ours.map(({ pid }) => pid);
  try {
    if (pids.length > 0) process.kill(pick(pids), 'SIGKILL');
  } catch (error) {
    // It has ended by itself meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ends a lease: its task is deleted while it runs. */
async function deleteRunning(agentId: string, deleted: Set<string>): Promise<void> {
  const running = [...((await heldLeases(agentId)) ?? [])].map((name) => name.split('/')[0] as string);
  if (running.length === 0) return;
  const id = pick(running);
  deleted.add(id);
  await api.call('DELETE', `/agents/${agentId}/tasks/${id}`);
}

/** The attempts that have a lease; undefined while the fleet does not respond. */
async function heldLeases(agentId: string): Promise<Set<string> | undefined> {
  const response = await api.get(`/leases?agent_id=${agentId}&limit=1000`).catch(() => undefined);
  if (response?.status !== 200) return undefined;
  const leases = response.json as { task_id: string; attempt: number }[];
  return new Set(leases.map(({ task_id: task, attempt }) => nameOf(task, attempt)));
}

async function openTasks(agentId: string): Promise<number> {
  const { json } = await api.get(`/tasks?status=pending,running&agent_id=${agentId}&limit=1000&fields=id`);
  return (json as unknown[]).length;
}

/** How often each task of an agent has ended. */
async function endsOf(agentId: string): Promise<Map<string, number>> {
  const ends = new Map<string, number>();
  let path: string | undefined = `/events?agent_id=${agentId}&types=${ENDS.join(',')}&limit=1000`;
  while (path) {
    const response = await api.get(path);
    for (const { task_id: id } of response.json as { task_id: string }[]) ends.set(id, (ends.get(id) ?? 0) + 1);
    path = /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1];
  }
  return ends;
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}
