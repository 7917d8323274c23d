import { createDice, type Dice } from './dice.ts';
import { draw, drawBatch, drawFields, KINDS, LABELS, liveTasks, MESSAGES, TALKATIVE } from './draw.ts';
import { ASKED, EVERYTHING } from './draw-talk.ts';
import { createAgent, isReady, type Model, type Pass, type TaskRef } from './entities.ts';
import { overrun } from './model.ts';
import { differenceOf, observe } from './observe.ts';
import {
  type Known,
  type Match,
  type Occasion,
  type Operation,
  Refused,
  type Reply,
  type RequestRef,
  taskPath,
} from './operation.ts';
import * as operations from './operations.ts';
import type { Replicas } from './replicas.ts';
import { INTERRUPTION } from './talk.ts';
import { answer, ask } from './talk-operations.ts';
import { createTime } from './time.ts';

const NOTHING: Reply = { status: 0, body: { id: '', agent_id: '', results: [], leases: [], items: [], answer: null } };
/** Relative frequencies of one operation, two concurrent ones, and one after its deadline. */
const FORMS = ['pair', 'pair', 'pair', 'pair', 'pair', 'pair', 'late', 'late', ...Array<'single'>(15).fill('single')];

/** Less than a reservation. */
const MAX_MS = 40_000;

/**
 * Two agents of the service and their model. Concurrent operations may be applied in any order: the model then becomes
 * several models, and only those that agree with the observed state remain.
 */
export class World {
  readonly #replicas: Replicas;
  readonly #time: ReturnType<typeof createTime>;
  readonly #dice: Dice;
  readonly known: Known;
  readonly log: string[] = [];
  /** Whether any operations have been concurrent so far. */
  raced = false;
  #models: Model[];
  #step = 0;
  #kinds = KINDS;

  private constructor(replicas: Replicas, types: readonly string[], dice: Dice, model: Model) {
    this.#replicas = replicas;
    this.#time = createTime(replicas.redis, replicas.keys);
    this.#dice = dice;
    this.known = { types, tasks: [], leases: [], created: [], said: [], reported: [] };
    this.#models = [model];
  }

  static async create(
    replicas: Replicas,
    types: readonly string[],
    generate: Parameters<typeof createDice>[0],
  ): Promise<World> {
    const agents = [];
    for (const [replica, type] of [types[0] as string, types.at(-1) as string].entries()) {
      const { body } = await replicas.send(replica, { method: 'POST', path: '/agents', body: { name: 'x', type } });
      agents.push(createAgent(body.id, 'x', type));
    }
    return new World(replicas, types, createDice(generate), { agents, keyed: {} });
  }

  get model(): Model {
    return this.#models[0] as Model;
  }

  /** Plays a random history that starts with a few tasks. @throws Error when no model agrees with the service */
  async play(): Promise<void> {
    const { pick, roll } = this.#dice;
    const anyAgent = () => pick(this.model.agents).id;
    await this.#do([operations.createBatch(anyAgent(), drawBatch(this.#dice, 's1'))]);
    await this.#do([operations.create(anyAgent(), drawFields(this.#dice, 's2'), undefined)]);
    if (roll(2) === 0) await this.#beginTalk();
    const began = Date.now();
    // The model does not know that a reservation ends by itself.
    for (let steps = 8 + roll(15); steps > 0 && Date.now() - began < MAX_MS; steps--) {
      const form = pick(FORMS);
      if (form === 'pair') await this.#runPair();
      else if (form === 'late') await this.#runLate();
      else await this.#do(await this.#draw({}));
    }
  }

  /** A worker asks, and from here on mostly it and people speak. */
  async #beginTalk(): Promise<void> {
    const taker = { worker: 'talker', accepts: EVERYTHING, labels: LABELS };
    await this.#do([operations.lease({ types: [...this.known.types] }, taker, 2)]);
    this.#kinds = TALKATIVE;
    for (const held of this.known.leases) await this.#do([ask(held, this.#dice.pick(ASKED))]);
  }

  /** Answers all that is open, and leases all ready tasks, also of agents that were paused. */
  async drain(): Promise<void> {
    for (const { id } of this.model.agents) {
      await this.#do([operations.undefine(id)]);
      await this.#do([operations.resume(id)]);
    }
    for (const { agentId, taskId } of liveTasks(this.model)) {
      for (const request of await this.#readRequests({ agentId, taskId })) {
        if (request.state !== 'open') continue;
        const text = request.key.startsWith(INTERRUPTION) ? 'continue' : 'allow';
        await this.#do([answer({ agentId, taskId }, request, { text, isWrong: false })]);
      }
    }
    for (const { agentId, taskId, task } of liveTasks(this.model)) {
      if (task.reserved && isReady(task)) await this.#do([operations.pass({ agentId, taskId, what: 'reservation' })]);
    }
    for (;;) {
      // Those with a concurrency key end, so that others with it may run.
      for (const { agentId, taskId, task } of liveTasks(this.model)) {
        const { number, token } = task.lease ?? {};
        if (number === undefined || token === undefined || task.given.concurrency_key === null) continue;
        await this.#do([operations.report({ agentId, taskId, number, token }, { status: 'completed' })]);
      }
      const taker = { worker: 'drain', accepts: EVERYTHING, labels: LABELS };
      const [reply] = await this.#do([operations.lease({ types: [...this.known.types] }, taker, 20)]);
      if (reply?.status === 204) return;
    }
  }

  async deleteAgents(): Promise<void> {
    for (const { id } of this.model.agents) await this.#do([operations.deleteAgent(id)]);
  }

  /** Deletes the agents, so that other histories do not lease their tasks. */
  async leave(): Promise<void> {
    for (const { id } of this.model.agents) await this.#replicas.send(0, { method: 'DELETE', path: `/agents/${id}` });
  }

  /** Draws at most one operation, on the focus if there is one for it. */
  async #draw(
    { focus, ...more }: Partial<Pick<Parameters<typeof draw>[1], 'focus' | 'kinds' | 'maxLeases'>>,
    suffix = '',
  ) {
    const name = `s${this.#step + 1}${suffix}`;
    const readMatch = (target: TaskRef, isCurrent: boolean) => this.#readMatch(target, isCurrent);
    const readRequests = (target: TaskRef) => this.#readRequests(target);
    const kinds = this.#kinds;
    const setting = { model: this.model, known: this.known, name, kinds, readMatch, readRequests, ...more };
    const found = (focus && (await draw(this.#dice, { ...setting, focus }))) ?? (await draw(this.#dice, setting));
    return found ? [found] : [];
  }

  /** Two concurrent operations, on the same task if possible; atomic ones, so that they have an order. */
  async #runPair(): Promise<void> {
    const focus = this.#dice.pick(
      liveTasks(this.model).filter(({ task }) => /running|pending|input_required/.test(task.status)),
    );
    const left = await this.#draw({ focus, maxLeases: 1 }, 'l');
    const pair = [...left, ...(await this.#draw({ focus, maxLeases: 1 }, 'r'))];
    await this.#do(canBeAtOnce(pair) ? pair : left);
  }

  /** A worker continues after its lease has expired, before the timer is handled. */
  async #runLate(): Promise<void> {
    const running = this.#dice.pick(liveTasks(this.model).filter(({ task }) => task.lease));
    if (!running) return;
    const { agentId, taskId } = running;
    const passed = { agentId, taskId, what: this.#dice.pick(['lease', 'timeout'] as const) };
    await this.#overrun(passed);
    await this.#do(await this.#draw({ focus: passed, kinds: MESSAGES }));
    await this.#do([operations.pass(passed)], true);
  }

  async #readMatch({ agentId, taskId }: TaskRef, isCurrent: boolean): Promise<Match> {
    const path = `/agents/${agentId}/tasks/${taskId}`;
    const { etag } = await this.#replicas.send(this.#dice.roll(2), { method: 'GET', path });
    const task = liveTasks(this.model).find((live) => live.taskId === taskId)?.task;
    return etag && task && isCurrent ? { etag, version: task.version } : { etag: '"stale"', version: -1 };
  }

  async #readRequests(target: TaskRef): Promise<RequestRef[]> {
    const path = `${taskPath(target)}/input-requests?limit=1000`;
    const { status, body } = await this.#replicas.send<RequestRef[]>(this.#dice.roll(2), { method: 'GET', path });
    return status === 200 ? body : [];
  }

  async #do(operations: Operation[], isOverrun = false): Promise<Reply[]> {
    if (operations.length === 0) return [];
    this.#step += 1;
    for (const { pass } of operations) if (pass && !isOverrun) await this.#overrun(pass);
    this.raced ||= operations.length > 1;
    const replicas = operations.map(() => this.#dice.roll(2));
    const first = this.log.length;
    for (const [at, { request, pass }] of operations.entries()) {
      this.log.push(`${this.#step} @${replicas[at]} ${JSON.stringify(request ?? pass)}`);
    }
    const replies = await Promise.all(operations.map((operation, at) => this.#send(operation, replicas[at] as number)));
    for (const [at, { remember }] of operations.entries()) {
      const reply = replies[at] as Reply;
      const leases = reply.status === 201 && reply.body.leases ? reply.body.leases.map(({ id }) => id) : '';
      this.log[first + at] += ` -> ${reply.status} ${leases}`;
      remember?.(this.known, reply);
    }
    for (const { interrupts } of operations) if (interrupts) await this.#time.hold(interrupts.taskId);
    const occasion = { step: this.#step, alone: operations.length === 1 };
    this.#models = applyInAnyOrder(this.#models, operations, replies, occasion);
    if (this.#models.length > 1) await this.#compare();
    return replies;
  }

  async #overrun(passed: Pass): Promise<void> {
    await this.#time.overrun(passed);
    for (const model of this.#models) overrun(model, passed);
  }

  async #send({ request, pass }: Operation, replica: number): Promise<Reply> {
    if (request) return this.#replicas.send(replica, request);
    if (pass) await this.#time.notice(pass);
    return NOTHING;
  }

  /** Keeps the models that agree with the observed state. */
  async #compare(): Promise<void> {
    const seen = await Promise.all(this.model.agents.map(({ id }) => observe(this.#replicas, id)));
    const differences: string[] = [];
    const agreed = this.#models.filter((model) => {
      const difference = seen.map((one, at) => differenceOf(one, model.agents[at])).find((found) => found);
      if (difference) differences.push(difference);
      return !difference;
    });
    if (agreed.length === 0) throw new Error(`No order explains the observed state:\n${differences.join('\n')}`);
    this.#models = agreed;
  }
}

/** Applies operations to the models in every order that the replies allow. @throws Error when there is none */
function applyInAnyOrder(models: Model[], operations: Operation[], replies: Reply[], occasion: Occasion): Model[] {
  const found = new Map<string, Model>();
  const problems: string[] = [];
  const order = operations.map((_, at) => at);
  for (const before of models) {
    for (const positions of operations.length > 1 ? [order, order.toReversed()] : [order]) {
      const next = JSON.parse(JSON.stringify(before)) as Model;
      try {
        for (const [place, at] of positions.entries()) {
          const step = occasion.step + place / 4;
          operations[at]?.accept(next, replies[at] as Reply, { ...occasion, step });
        }
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

/** At most one deadline passes at a time. A start queues the task, which only a lease may observe. */
function canBeAtOnce(operations: Operation[]): boolean {
  const passes = operations.flatMap(({ pass }) => pass ?? []);
  return passes.length < 2 && (passes[0]?.what !== 'start' || operations.some(({ isLease }) => isLease));
}
