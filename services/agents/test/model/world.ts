import { accept, type Occasion, Refused } from './accept.ts';
import { choose, type Known, liveTasks, type TaskRef } from './choose.ts';
import type { Command, SingleCommand } from './commands.ts';
import { createAgent, type Model } from './model.ts';
import { differenceOf, observe } from './observe.ts';
import { type Answer, type AnswerBody, type Operation, toRequest } from './operations.ts';
import type { Replicas } from './replicas.ts';
import { createTime, overrunModel } from './time.ts';

const NOTHING: AnswerBody = { id: '', agent_id: '', results: [], leases: [] };

type Asked = { operation: Operation; replica: number };

/**
 * Two agents of the service and their model. Concurrent operations may happen in any order: the model then becomes
 * several models, and those that agree with the observed state stay.
 */
export class World {
  readonly #replicas: Replicas;
  readonly #time: ReturnType<typeof createTime>;
  readonly known: Known;
  readonly log: string[] = [];
  /** Whether any operations have been concurrent so far. */
  raced = false;
  #models: Model[];
  #step = 0;

  private constructor(replicas: Replicas, types: readonly string[], model: Model) {
    this.#replicas = replicas;
    this.#time = createTime(replicas.redis, replicas.keys);
    this.known = { types, tasks: [], leases: [], created: [], reported: [] };
    this.#models = [model];
  }

  static async create(replicas: Replicas, types: readonly string[]): Promise<World> {
    const agents = [];
    for (const [replica, type] of [types[0] as string, types.at(-1) as string].entries()) {
      const { body } = await replicas.send(replica, { method: 'POST', path: '/agents', body: { name: 'x', type } });
      agents.push(createAgent(body.id, 'x', type));
    }
    return new World(replicas, types, { agents, keyed: {} });
  }

  get model(): Model {
    return this.#models[0] as Model;
  }

  /** @throws Error when no model agrees with the service */
  async run(command: Command): Promise<void> {
    this.#step += 1;
    const name = `s${this.#step}`;
    if (command.kind === 'pair') {
      const focus = this.#pickTask(command.left.pick);
      const left = await this.#choose(atomic(command.left), `${name}l`, focus);
      const right = await this.#choose(atomic(command.right), `${name}r`, focus);
      const asked = [left, right].filter((one) => one !== undefined);
      await this.#do(canBeAtOnce(asked.map(({ operation }) => operation)) ? asked : asked.slice(0, 1));
    } else if (command.kind === 'late') {
      await this.#runLate(command, name);
    } else {
      const asked = await this.#choose(command, name);
      if (asked) await this.#do([asked]);
    }
  }

  /** Leases all ready tasks. */
  async drain(): Promise<void> {
    const operation: Operation = { kind: 'leaseTypes', types: [...this.known.types], worker: 'drain', max: 20 };
    for (let replica = 0; ; replica = 1 - replica) {
      this.#step += 1;
      const [answer] = await this.#do([{ operation, replica }]);
      if (answer?.status === 204) return;
    }
  }

  async deleteAgents(): Promise<void> {
    for (const [replica, { id }] of this.model.agents.entries()) {
      this.#step += 1;
      await this.#do([{ operation: { kind: 'deleteAgent', agentId: id }, replica }]);
    }
  }

  /** Deletes the agents, so that other histories do not lease their tasks. */
  async leave(): Promise<void> {
    for (const { id } of this.model.agents) await this.#replicas.send(0, { method: 'DELETE', path: `/agents/${id}` });
  }

  async #runLate({ what, pick, message }: Extract<Command, { kind: 'late' }>, name: string): Promise<void> {
    const pass = { kind: 'pass', what, pick, replica: 0, stray: false } as const;
    const late = await this.#choose(pass, name);
    if (late?.operation.kind !== 'pass') return;
    await this.#overrun(late.operation);
    const sent = await this.#choose(message, name, late.operation);
    if (sent) await this.#do([sent]);
    await this.#do([late], true);
  }

  async #choose(command: SingleCommand, name: string, focus?: TaskRef): Promise<Asked | undefined> {
    const from = { model: this.model, known: this.known, name };
    const operation = (focus && choose(command, { ...from, focus })) ?? choose(command, from);
    if (!operation) return undefined;
    const { replica } = command;
    if (
      'match' in command &&
      command.match !== 'none' &&
      (operation.kind === 'replace' || operation.kind === 'delete')
    ) {
      const { agentId, taskId } = operation;
      const path = `/agents/${agentId}/tasks/${taskId}`;
      const { etag } = await this.#replicas.send(replica, { method: 'GET', path });
      const task = liveTasks(this.model).find((live) => live.taskId === taskId)?.task;
      if (etag && task && command.match === 'current') operation.match = { etag, version: task.version };
      else operation.match = { etag: '"stale"', version: -1 };
    }
    return { operation, replica };
  }

  #pickTask(pick: number): TaskRef | undefined {
    const live = liveTasks(this.model).filter(({ task }) => task.status === 'running' || task.status === 'pending');
    return live[pick % live.length];
  }

  async #do(asked: Asked[], isOverrun = false): Promise<Answer[]> {
    for (const { operation } of asked) {
      if (operation.kind === 'pass' && !isOverrun) await this.#overrun(operation);
    }
    this.raced ||= asked.length > 1;
    const answers = await Promise.all(asked.map((one) => this.#ask(one)));
    asked.forEach(({ operation, replica }, at) => {
      const { status, body } = answers[at] as Answer;
      const leases = status === 201 && body.leases ? body.leases.map((lease: { id: string }) => lease.id) : '';
      this.log.push(`${this.#step} @${replica} ${JSON.stringify(operation)} -> ${status} ${leases}`);
      this.#remember(operation, answers[at] as Answer);
    });
    const operations = asked.map(({ operation }) => operation);
    this.#models = applyInAnyOrder(this.#models, operations, answers, { step: this.#step, alone: asked.length === 1 });
    if (this.#models.length > 1) await this.#compare();
    return answers;
  }

  async #overrun(operation: Extract<Operation, { kind: 'pass' }>): Promise<void> {
    await this.#time.overrun(operation);
    for (const model of this.#models) overrunModel(model, operation);
  }

  async #ask({ operation, replica }: Asked): Promise<Answer> {
    if (operation.kind !== 'pass') return this.#replicas.send(replica, toRequest(operation));
    await this.#time.notice(operation);
    return { status: 0, body: NOTHING };
  }

  /** Keeps the models that agree with the observed state. */
  async #compare(): Promise<void> {
    const seen = await Promise.all(this.model.agents.map(({ id }) => observe(this.#replicas, id)));
    const differences: string[] = [];
    this.#models = this.#models.filter((model) => {
      const difference = seen.map((one, at) => differenceOf(one, model.agents[at])).find((found) => found);
      if (difference) differences.push(difference);
      return !difference;
    });
    if (this.#models.length === 0) throw new Error(`No order explains the observed state:\n${differences.join('\n')}`);
  }

  #remember(operation: Operation, { status, body }: Answer): void {
    const { tasks, leases, created, reported } = this.known;
    if (operation.kind === 'create' && status === 201) {
      if (!tasks.some(({ taskId }) => taskId === body.id)) tasks.push({ agentId: operation.agentId, taskId: body.id });
      if (operation.key !== undefined && !created.includes(operation)) created.push(operation);
    }
    if (operation.kind === 'batch' && status === 201) {
      for (const { task } of body.results) if (task) tasks.push({ agentId: operation.agentId, taskId: task.id });
    }
    if (operation.kind === 'result' && status === 200) reported.push(operation);
    if ((operation.kind === 'lease' || operation.kind === 'leaseTypes') && status === 201) {
      for (const { id, token } of body.leases) {
        const [agentId = '', taskId = '', number] = id.split('.');
        leases.push({ agentId, taskId, number: Number(number), token });
      }
    }
  }
}

/** Applies operations to the models in every order that the responses allow. @throws Error when there is none */
function applyInAnyOrder(models: Model[], operations: Operation[], answers: Answer[], occasion: Occasion): Model[] {
  const [model, ...others] = models as [Model, ...Model[]];
  if (operations.length === 1 && others.length === 0) {
    accept(model, operations[0] as Operation, answers[0] as Answer, occasion);
    return models;
  }
  const found = new Map<string, Model>();
  const problems: string[] = [];
  const order = operations.map((_, at) => at);
  const orders = operations.length > 1 ? [order, order.toReversed()] : [order];
  for (const before of models) {
    for (const places of orders) {
      const next = JSON.parse(JSON.stringify(before)) as Model;
      try {
        for (const at of places) accept(next, operations[at] as Operation, answers[at] as Answer, occasion);
        found.set(JSON.stringify(next), next);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        problems.push(error.message);
      }
    }
  }
  if (found.size === 0) throw new Error(`The model does not agree:\n${problems.join('\n')}`);
  return [...found.values()];
}

/** Concurrent operations are atomic, so that they have an order. */
function atomic(command: SingleCommand): SingleCommand {
  return command.kind === 'lease' ? { ...command, max: 1 } : command;
}

/** At most one deadline passes at a time. A start replaces the job, which only a lease may observe. */
function canBeAtOnce(operations: Operation[]): boolean {
  const passes = operations.filter(({ kind }) => kind === 'pass');
  const isStart = operations.some((one) => one.kind === 'pass' && one.what === 'start');
  return passes.length < 2 && (!isStart || operations.some(({ kind }) => kind === 'lease' || kind === 'leaseTypes'));
}
