import { type Conversation, countOf, type JsonObject, objectOf, textOf } from '../json.ts';
import type { Answer, Failure, Message, RuntimeEvent, RuntimeJob, RuntimeProcess } from '../runtime.ts';
import { Turns } from '../turns.ts';
import { type CodexAsk, toAsk } from './asks.ts';
import { messageOf, parse, sessionLost, toFailure } from './failures.ts';
import { CodexItems, planOf } from './items.ts';

const METHOD_NOT_FOUND = -32_601;
/** Codex waits as long as a provider says, in silence; other pauses between its tries are shorter. */
const MAX_RETRY_MS = 60_000;

type Receive = (message: JsonObject) => Iterable<RuntimeEvent>;

interface CodexJob extends Pick<RuntimeJob, 'prompt' | 'session' | 'model' | 'folders'> {
  /** For the API, which takes only some. */
  outputSchema: RuntimeJob['outputSchema'] | undefined;
  hasOutput: boolean;
}

/** A conversation with `codex app-server`: JSON-RPC, a message a line. */
export class CodexSession implements Conversation {
  readonly #stdin: RuntimeProcess['stdin'];
  readonly #job: CodexJob;
  readonly #turns: Turns;
  readonly #items: CodexItems;
  #requests = 0;
  /** What is done with the answer to a request, by its id. */
  readonly #expected = new Map<unknown, Receive>();
  /** What is asked of a person, by its key. */
  readonly #asked = new Map<string, CodexAsk & { id: unknown }>();
  #thread = '';
  /** The turn that runs; empty before it has a name. */
  #turn = '';
  #isStopping = false;
  #retry: NodeJS.Timeout | undefined;
  #gaveUp: Failure | undefined;

  constructor({ stdin }: Pick<RuntimeProcess, 'stdin'>, job: CodexJob) {
    this.#stdin = stdin;
    this.#job = job;
    this.#items = new CodexItems(job.folders.workspace);
    this.#turns = new Turns({
      begin: (text, id) => this.#begin(text, id),
      steer: (text, id) => this.#steer(text, id),
      stop: () => this.#stop(),
    });
    const capabilities = { experimentalApi: true, requestAttestation: false };
    const clientInfo = { name: 'fleet-worker', title: null, version: '1' };
    this.#request('initialize', { clientInfo, capabilities }, () => {
      this.#open();
      return [];
    });
  }

  say = (message: Message): void => this.#turns.say(message);
  interrupt = (): void => this.#turns.interrupt();

  answer(key: string, answer: Answer): void {
    const asked = this.#asked.get(key);
    if (!asked || !this.#asked.delete(key)) return;
    const { result, words } = asked.reply(answer);
    this.#send({ id: asked.id, result });
    if (words) this.#steer(words, `${key}:words`);
  }

  *read(message: JsonObject): Generator<RuntimeEvent> {
    const { id, method } = message;
    const params = objectOf(message.params);
    if (method === undefined) {
      const receive = this.#expected.get(id);
      this.#expected.delete(id);
      if (receive) yield* receive(message);
    } else if (id !== undefined) yield* this.#readRequest(id, textOf(method), params);
    else yield* this.#readNotification(textOf(method), params);
  }

  *atExit(): Generator<RuntimeEvent> {
    clearTimeout(this.#retry);
    yield* this.#items.close();
    if (this.#gaveUp) yield this.#gaveUp;
  }

  #open(): void {
    const { session, folders } = this.#job;
    this.#send({ method: 'initialized' });
    const [method, more] = session === undefined ? ['thread/start', {}] : ['thread/resume', { threadId: session }];
    this.#request(method, { cwd: folders.workspace, ...more }, (answer) => this.#readThread(answer));
  }

  *#readThread({ result, error }: JsonObject): Generator<RuntimeEvent> {
    const { session, model, prompt } = this.#job;
    this.#thread = textOf(objectOf(objectOf(result).thread).id);
    if (this.#thread !== '' && this.#thread === (session ?? this.#thread)) {
      yield { type: 'session', id: this.#thread, ...(model !== undefined && { model }) };
      this.#begin(prompt, '');
    } else yield session === undefined ? toFailure(objectOf(error)) : sessionLost(messageOf(objectOf(error)));
  }

  #begin(text: string, id: string): void {
    const { outputSchema } = this.#job;
    this.#items.isIdle = true;
    const params = { ...this.#input(text, id), ...(outputSchema && { outputSchema }) };
    this.#request('turn/start', params, ({ result, error }) => {
      if (error) return this.#turns.ended(toFailure(objectOf(error)));
      this.#turn = textOf(objectOf(objectOf(result).turn).id);
      if (this.#isStopping) this.#stop();
      return [];
    });
  }

  #steer(text: string, id: string): void {
    if (this.#turn === '') {
      this.#turns.refused(id);
      return;
    }
    const params = { ...this.#input(text, id), expectedTurnId: this.#turn };
    this.#request('turn/steer', params, ({ error }) => {
      if (error) this.#turns.refused(id);
      return [];
    });
  }

  #stop(): void {
    this.#isStopping = true;
    if (this.#turn !== '') this.#request('turn/interrupt', { threadId: this.#thread, turnId: this.#turn }, () => []);
  }

  #input(text: string, id: string): JsonObject {
    const input = [{ type: 'text', text, text_elements: [] }];
    return { threadId: this.#thread, clientUserMessageId: id || null, input };
  }

  *#readRequest(id: unknown, method: string, params: JsonObject): Generator<RuntimeEvent> {
    const { workspace } = this.#job.folders;
    const asked = toAsk(method, params, { workspace, changes: this.#items.changesOf(textOf(params.itemId)) });
    if (asked === undefined) {
      this.#send({ id, error: { code: METHOD_NOT_FOUND, message: 'Nobody can be asked this' } });
      yield { type: 'denied', tool: method, detail: textOf(params.reason) };
      return;
    }
    this.#asked.set(asked.ask.key, { ...asked, id });
    yield { type: 'ask', ask: asked.ask };
  }

  *#readNotification(method: string, params: JsonObject): Generator<RuntimeEvent> {
    if (method === 'warning') yield { type: 'notice', text: textOf(params.message) };
    // Of another thread: a helper of the agent.
    if (params.threadId !== this.#thread) return;
    const item = objectOf(params.item);
    if (method === 'serverRequest/resolved') yield* this.#unask((id) => id === params.requestId);
    else if (method === 'error') yield* this.#readError(params);
    else if (!method.startsWith('thread/')) this.#calm();
    if (method === 'turn/completed') yield* this.#readEnd(objectOf(params.turn));
    else if (method === 'item/started' && item.type === 'userMessage') {
      yield* this.#turns.taken(textOf(item.clientId));
    } else if (method === 'item/started') yield* this.#items.started(item);
    else if (method === 'item/completed') yield* this.#items.completed(item);
    else if (method === 'item/agentMessage/delta') yield { type: 'delta', text: textOf(params.delta) };
    else if (method === 'item/commandExecution/outputDelta') {
      yield { type: 'delta', text: textOf(params.delta), callId: textOf(params.itemId) };
    } else if (method === 'turn/plan/updated') yield planOf(params.plan);
    else if (method === 'thread/tokenUsage/updated') yield this.#readUsed(objectOf(objectOf(params.tokenUsage).total));
  }

  *#readEnd({ status, error }: JsonObject): Generator<RuntimeEvent> {
    this.#turn = '';
    this.#isStopping = false;
    yield* this.#items.close();
    yield* this.#unask(() => true);
    const { lastMessage, isIdle } = this.#items;
    if (status === 'failed') yield toFailure(objectOf(error));
    else if (status === 'interrupted') yield* this.#turns.ended(toFailure({ message: 'The turn was interrupted' }));
    else if (isIdle) yield* this.#turns.ended(toFailure({ message: 'Codex ended its turn without an answer' }));
    else {
      const output = this.#job.hasOutput ? parse(lastMessage) : undefined;
      yield* this.#turns.ended({ type: 'success', text: lastMessage, ...(output !== undefined && { output }) });
    }
  }

  /** Questions that Codex has answered itself. */
  *#unask(isMeant: (id: unknown) => boolean): Generator<RuntimeEvent> {
    for (const [key, { id }] of this.#asked) {
      if (isMeant(id) && this.#asked.delete(key)) yield { type: 'unasked', key };
    }
  }

  *#readError({ error, willRetry }: JsonObject): Generator<RuntimeEvent> {
    if (willRetry !== true) return;
    const failed = toFailure(objectOf(error));
    yield { type: 'notice', text: failed.message };
    this.#calm();
    this.#retry = setTimeout(() => {
      this.#gaveUp = failed;
      this.#stdin.end();
    }, MAX_RETRY_MS).unref();
  }

  #calm(): void {
    clearTimeout(this.#retry);
  }

  /** On a resumed session the numbers are of the whole session. */
  #readUsed(usage: JsonObject): RuntimeEvent {
    const tokens = {
      input_tokens: countOf(usage.inputTokens),
      cached_input_tokens: countOf(usage.cachedInputTokens),
      output_tokens: countOf(usage.outputTokens),
      reasoning_tokens: countOf(usage.reasoningOutputTokens),
    };
    const used = { usage: tokens, cost: null, model: this.#job.model ?? null };
    return { type: 'used', used, ofSession: this.#job.session !== undefined };
  }

  #request(method: string, params: JsonObject, receive: Receive): void {
    this.#requests += 1;
    this.#expected.set(this.#requests, receive);
    this.#send({ id: this.#requests, method, params });
  }

  #send(message: JsonObject): void {
    this.#stdin.write(`${JSON.stringify(message)}\n`);
  }
}
