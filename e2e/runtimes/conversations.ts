import { chmodSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from '@agent-fleet/scripts/local/child-process';
import { ROOT } from '@agent-fleet/scripts/services';
import type { ModelRequest, Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { type ModelServer, startModelServer } from '@agent-fleet/scripts/testing/model-server/model-server';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { startTestRedis } from '@agent-fleet/scripts/testing/test-redis';
import { until } from '@agent-fleet/shared/testing/until';
import { Api, pathOf, type Task } from '../harness/api.ts';
import { expectStatus } from '../harness/http-client.ts';
import { isWork } from './agents-under-test.ts';
import type { ConversingAgent } from './conversing-agents.ts';

const END_MS = 120_000;
const OWN_FILE = 'ran.txt';
export const ENDED = ['completed', 'failed', 'cancelled'];
const ANSWERED = 'A person has answered';
/** What a deferred question of Claude Code has as its result. */
const RESUMED = /database\?\\+"=\\+"SQLite/;

export interface InputRequest {
  id: string;
  key: string;
  kind: string;
  state: string;
  input_editable?: boolean;
  options: { id: string; label: string; role: string }[] | null;
  schema: { properties: Record<string, unknown> } | null;
  tool: { name: string; input: Record<string, unknown> } | null;
}

export interface Message {
  id: string;
  state: string;
  delivered_as: string | null;
}

interface WorkerOptions {
  agentId: string;
  /** The name of its folder: another one is another machine. */
  home: string;
  permissions: string;
  args?: readonly string[];
}

/** Tasks whose message is `CASE:<name>` of agents whose model does what the case says, and people who answer. */
export class Conversations {
  readonly api = new Api();
  readonly folder = ownFolder();
  /** By the id of a task. */
  readonly #names = new Map<string, string>();
  readonly #agents = new Map<string, ConversingAgent>();
  #models: ModelServer | undefined;
  #printed = () => '';

  async open(): Promise<void> {
    await this.api.open({ ownRedis: startTestRedis });
    this.#models = await startModelServer({ reply: (request) => this.#reply(request) });
    // Who runs it twice is seen; it is one command, for which a permission can be given.
    writeFileSync(this.#script, `#!/bin/sh\necho ran >> '${this.folder}'/ran-$1\nexec sleep "\${2:-0}"\n`);
    chmodSync(this.#script, 0o755);
  }

  async close(): Promise<void> {
    await this.#models?.close();
    await this.api.close();
  }

  get #script() {
    return join(this.folder, 'mark');
  }

  get requests(): ModelRequest[] {
    return this.#models?.requests ?? [];
  }

  startWorker(agent: ConversingAgent, path: string, options: WorkerOptions): Child {
    const { agentId, home, permissions, args = [] } = options;
    const full = permissions === 'full' ? ['--i-am-isolated'] : [];
    const own = [
      '--agent',
      agentId,
      ...agent.args(path),
      '--model',
      agent.model,
      '--permissions',
      permissions,
      ...full,
    ];
    const folders = ['--workspaces', join(this.folder, home), '--lease-seconds', '5'];
    const worker = startChild(join(ROOT, 'node_modules/.bin/fleet-worker'), [...own, ...folders, ...args], {
      env: {
        PATH: process.env.PATH,
        HOME: join(this.folder, 'home'),
        FLEET_URL: this.api.baseUrl,
        FLEET_API_KEY: this.api.apiKey,
        ...agent.env(this.#models?.url ?? ''),
      },
      output: { logFile: join(this.folder, `${home}.log`) },
      graceSeconds: 30,
    });
    this.#printed = worker.printed;
    return worker;
  }

  async create(agent: ConversingAgent, agentId: string, name: string, fields: object = {}): Promise<Task> {
    this.#agents.set(agent.name, agent);
    const full = `${agent.name}:${name}`;
    const task = await this.api.createTask(agentId, { message: `CASE:${full}`, max_attempts: 3, ...fields });
    this.#names.set(task.id, full);
    return task;
  }

  /** How often the tool of a task has run. */
  ran(task: Task): number {
    // An agent that writes a file does so in its workspace.
    const own = globSync(join(this.folder, '*', task.id, '*/workspace', OWN_FILE));
    const files = [...own, this.#fileOf(this.#names.get(task.id) ?? '')].filter((file) => existsSync(file));
    return files.flatMap((file) => readFileSync(file, 'utf8').match(/ran\n/g) ?? []).length;
  }

  async untilRuns(task: Task): Promise<void> {
    await until(() => this.ran(task) > 0, { message: () => `the tool runs: ${this.#printed()}`, timeoutMs: END_MS });
  }

  #fileOf = (name: string) => join(this.folder, `ran-${name.replace(':', '-')}`);

  async requestsOf(task: Task): Promise<InputRequest[]> {
    return (await this.api.get(`${pathOf(task)}/input-requests`)).json as InputRequest[];
  }

  async untilAsked(task: Task, isMeant = (_: InputRequest) => true): Promise<InputRequest> {
    let open: InputRequest[] = [];
    await until(
      async () => {
        open = (await this.requestsOf(task)).filter((request) => request.state === 'open' && isMeant(request));
        return open.length > 0;
      },
      { message: () => `${task.message} asks; the worker printed: ${this.#printed()}`, timeoutMs: END_MS },
    );
    return open[0] as InputRequest;
  }

  async answer(task: Task, { id }: InputRequest, body: object): Promise<void> {
    expectStatus(await this.api.call('PUT', `${pathOf(task)}/input-requests/${id}/answer`, { body }), 200);
  }

  /** Chooses the option of a role. */
  async decide(task: Task, role: string, more: object = {}): Promise<void> {
    const request = await this.untilAsked(task);
    const option = request.options?.find((each) => each.role === role);
    await this.answer(task, request, { option_ids: [option?.id], ...more });
  }

  /** Says SQLite to the question. */
  async choose(task: Task): Promise<void> {
    const request = await this.untilAsked(task);
    const option = request.options?.find(({ label }) => label === 'SQLite');
    const [field = ''] = Object.keys(request.schema?.properties ?? {});
    await this.answer(task, request, option ? { option_ids: [option.id] } : { values: { [field]: 'SQLite' } });
  }

  async say(task: Task, text: string, mode: string): Promise<void> {
    expectStatus(await this.api.call('POST', `${pathOf(task)}/messages`, { body: { text, mode } }), 202);
  }

  async messagesOf(task: Task): Promise<Message[]> {
    return (await this.api.get(`${pathOf(task)}/messages`)).json as Message[];
  }

  async end(task: Task): Promise<Task> {
    let last = task;
    await until(
      async () => {
        last = await this.api.readTask(task);
        return ENDED.includes(last.status);
      },
      { message: () => `${task.message} ends; the worker printed: ${this.#printed()}`, timeoutMs: END_MS },
    );
    return last;
  }

  /** What the model does, by what its conversation says so far. */
  #reply(request: ModelRequest): Reply {
    const body = JSON.stringify(request.body);
    const [, full = '', agentName = '', name = ''] = body.match(/.*CASE:(([\w-]+):([\w-]+))/) ?? [];
    const agent = this.#agents.get(agentName);
    if (!isWork(request) || agent === undefined) return { text: 'A title' };
    const { toolResults } = request;
    const { messages, contents, input } = request.body as Record<string, unknown[] | undefined>;
    /** Some put what a person says beside the result of a tool that was cut. */
    const last = JSON.stringify((messages ?? contents ?? input)?.at(-1));
    const command = (more = '') => `${this.#script} ${full.replace(':', '-')}${more}`;
    const asked = () => ({ tools: [agent.asked?.(command(), OWN_FILE) ?? agent.shell(command())] });
    const isCalled = body.includes(command()) || body.includes(OWN_FILE);
    const isAnswered = last.includes(ANSWERED);
    if (name.startsWith('question')) {
      const answers = [...toolResults, isAnswered ? last : '', RESUMED.test(body) ? 'SQLite' : ''].join();
      if (answers.includes('SQLite')) return { text: 'SQLite it is.' };
      return toolResults.length > 0 ? { text: 'Nobody has said it.' } : { tools: [agent.question] };
    }
    if (body.includes('Leave it')) return { text: 'As you say.' };
    if (name.startsWith('talk') && isCalled) {
      return { text: [...body.matchAll(/WORD-\w+/g)].map(([word]) => word).join(' ') };
    }
    if (name.startsWith('talk')) return { tools: [agent.shell(command(' 4'))] };
    if (name.startsWith('stop')) {
      return isCalled ? { text: 'Nobody said so.' } : { tools: [agent.shell(command(' 600'))] };
    }
    if (name.startsWith('always') && toolResults.length === 1) return asked();
    return isCalled && !isAnswered ? { text: 'The tool has run.' } : asked();
  }
}
