import { type JsonObject, objectOf, textOf } from '../json.ts';
import {
  type Answer,
  failure,
  type Message,
  type RuntimeEvent,
  type RuntimeJob,
  type RuntimeProcess,
} from '../runtime.ts';
import { Asks } from '../session/asks.ts';
import { planOf } from '../session/entries.ts';
import { parse } from '../session/failures.ts';
import { JsonRpc, METHOD_NOT_FOUND, type Receiver } from '../session/json-rpc.ts';
import type { Conversation } from '../session/program-session.ts';
import { type TurnProgram, Turns } from '../session/turns.ts';
import { toAsk } from './asks.ts';
import { messageOf, toFailure } from './failures.ts';
import { CodexItems } from './items.ts';

interface CodexJob extends Pick<RuntimeJob, 'prompt' | 'session' | 'model' | 'folders' | 'instructions'> {
  /** For the API, which takes only some. */
  outputSchema: RuntimeJob['outputSchema'] | undefined;
  hasOutput: boolean;
}

/** A conversation with `codex app-server`. */
export class CodexSession implements Conversation, Receiver, TurnProgram {
  readonly #job: CodexJob;
  readonly #rpc: JsonRpc;
  readonly #turns = new Turns(this);
  readonly #items: CodexItems;
  /** By the id of the request. */
  readonly #asks = new Asks<unknown>();
  #thread = '';
  /** The turn that runs; empty before it has a name. */
  #turn = '';
  #isStopping = false;

  constructor({ stdin }: Pick<RuntimeProcess, 'stdin'>, job: CodexJob) {
    this.#job = job;
    this.#items = new CodexItems(job.folders.workspace);
    this.#rpc = new JsonRpc(stdin, this);
    const capabilities = { experimentalApi: true, requestAttestation: false };
    const clientInfo = { name: 'fleet-worker', title: null, version: '1' };
    this.#rpc.request('initialize', { clientInfo, capabilities }, () => this.#open());
  }

  say = (message: Message): void => this.#turns.say(message);
  interrupt = (): void => this.#turns.interrupt();
  answer = (key: string, answer: Answer): void => this.#asks.answer(key, answer);
  read = (message: JsonObject): Iterable<RuntimeEvent> => this.#rpc.read(message);

  #open(): undefined {
    const { session, folders } = this.#job;
    this.#rpc.notify('initialized');
    const [method, more] = session === undefined ? ['thread/start', {}] : ['thread/resume', { threadId: session }];
    this.#rpc.request(method, { cwd: folders.workspace, ...more }, ({ result, error }) =>
      this.#readThread(result.thread, error),
    );
  }

  *#readThread(thread: unknown, error: JsonObject = {}): Generator<RuntimeEvent> {
    const { session, model, prompt, instructions } = this.#job;
    this.#thread = textOf(objectOf(thread).id);
    if (this.#thread !== '' && this.#thread === (session ?? this.#thread)) {
      yield { type: 'session', id: this.#thread, ...(model !== undefined && { model }) };
      if (session !== undefined && instructions) this.#instruct(instructions, () => this.begin(prompt, ''));
      else this.begin(prompt, '');
    } else yield session === undefined ? toFailure(error) : failure('session_lost', messageOf(error), false);
  }

  /** A thread that goes on keeps those that it began with. */
  #instruct(instructions: string, then: () => void): void {
    const text = `These are your instructions now, in place of earlier ones:\n\n${instructions}`;
    const item = { type: 'message', role: 'developer', content: [{ type: 'input_text', text }] };
    this.#rpc.request('thread/inject_items', { threadId: this.#thread, items: [item] }, ({ error }) => {
      if (error) return [toFailure(error)];
      then();
      return undefined;
    });
  }

  begin(text: string, id: string): void {
    const { outputSchema } = this.#job;
    this.#items.isIdle = true;
    const params = { ...this.#input(text, id), ...(outputSchema && { outputSchema }) };
    this.#rpc.request('turn/start', params, ({ result, error }) => {
      if (error) return this.#turns.ended(toFailure(error));
      this.#turn = textOf(objectOf(result.turn).id);
      if (this.#isStopping) this.stop();
      return undefined;
    });
  }

  steer(text: string, id: string): void {
    if (this.#turn === '') {
      this.#turns.refused(id);
      return;
    }
    const params = { ...this.#input(text, id), expectedTurnId: this.#turn };
    this.#rpc.request('turn/steer', params, ({ error }) => {
      if (error) this.#turns.refused(id);
    });
  }

  stop(): void {
    this.#isStopping = true;
    if (this.#turn !== '') this.#rpc.request('turn/interrupt', { threadId: this.#thread, turnId: this.#turn });
  }

  #input(text: string, id: string): JsonObject {
    const input = [{ type: 'text', text, text_elements: [] }];
    return { threadId: this.#thread, clientUserMessageId: id || null, input };
  }

  *onRequest(id: unknown, method: string, params: JsonObject): Generator<RuntimeEvent> {
    const { workspace } = this.#job.folders;
    const asked = toAsk(method, params, { workspace, changes: this.#items.changesOf(textOf(params.itemId)) });
    if (asked === undefined) {
      this.#rpc.respond(id, { error: { code: METHOD_NOT_FOUND, message: 'Nobody can be asked this' } });
      yield { type: 'denied', tool: method, detail: textOf(params.reason) };
      return;
    }
    const { ask, reply } = asked;
    yield this.#asks.ask(ask, id, (answer) => {
      const { result, words } = reply(answer);
      this.#rpc.respond(id, { result });
      if (words) this.steer(words, `${ask.key}:words`);
    });
  }

  *onNotification(method: string, params: JsonObject): Generator<RuntimeEvent> {
    if (method === 'warning') yield { type: 'notice', text: textOf(params.message) };
    // Of another thread: a helper of the agent.
    if (params.threadId !== this.#thread) return;
    const item = objectOf(params.item);
    if (method === 'serverRequest/resolved') yield* this.#asks.withdraw((id) => id === params.requestId);
    else if (method === 'error' && params.willRetry === true) {
      yield { type: 'notice', text: messageOf(objectOf(params.error)) };
    } else if (method === 'turn/completed') yield* this.#readEnd(objectOf(params.turn));
    else if (method === 'item/started' && item.type === 'userMessage') {
      yield* this.#turns.taken(textOf(item.clientId));
    } else if (method === 'item/started') yield* this.#items.started(item);
    else if (method === 'item/completed') yield* this.#items.completed(item);
    else if (method === 'item/agentMessage/delta') yield { type: 'delta', text: textOf(params.delta) };
    else if (method === 'item/commandExecution/outputDelta') {
      yield { type: 'delta', text: textOf(params.delta), callId: textOf(params.itemId) };
    } else if (method === 'turn/plan/updated') yield planOf(params.plan, 'step');
  }

  *#readEnd({ status, error }: JsonObject): Generator<RuntimeEvent> {
    this.#turn = '';
    this.#isStopping = false;
    yield* this.#asks.withdraw();
    const { lastMessage, isIdle } = this.#items;
    if (status === 'failed') yield toFailure(objectOf(error));
    else if (status === 'interrupted') yield* this.#turns.ended(toFailure({ message: 'The turn was interrupted' }));
    else if (isIdle) yield* this.#turns.ended(toFailure({ message: 'Codex ended its turn without an answer' }));
    else {
      const output = this.#job.hasOutput ? parse(lastMessage) : undefined;
      yield* this.#turns.ended({ type: 'success', text: lastMessage, ...(output !== undefined && { output }) });
    }
  }
}
