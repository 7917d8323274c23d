import { messageOf } from '../../errors.ts';
import { fail, toModelFailure } from '../acp/failures.ts';
import { type Conversation, countOf, type JsonObject, objectOf, textOf } from '../json.ts';
import type { Answer, Failure, Message, RuntimeEvent, RuntimeJob } from '../runtime.ts';
import { Turns } from '../turns.ts';
import { askPermission, askQuestion, type OpencodeAsk } from './asks.ts';
import { OpencodeParts } from './parts.ts';
import type { OpencodeServer } from './server.ts';

/** opencode tries for ever, and waits as long as a provider says. */
const MAX_TRIES = 3;
const MAX_RETRY_MS = 60_000;

/** A conversation with `opencode serve`: its events are read as they come, and answered by calls. */
export class OpencodeSession implements Conversation {
  readonly #server: OpencodeServer;
  readonly #job: RuntimeJob;
  readonly #turns: Turns;
  readonly #parts: OpencodeParts;
  /** Open requests, by their key. */
  readonly #asked = new Map<string, OpencodeAsk>();
  /** Permissions whose tool has not told its input yet, by its call. */
  readonly #early = new Map<string, JsonObject>();
  /** What runs, by its call. */
  readonly #inputs = new Map<string, { name: string; input: unknown }>();
  /** Sent, and not yet a message of the session; in their order. */
  readonly #sent: string[] = [];
  /** Messages of people, as opencode names them; and those of this turn. Old ones come again with their changes. */
  readonly #users = new Set<string>();
  readonly #current = new Set<string>();
  readonly #counted = new Set<string>();
  readonly #used = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };
  #cost = 0;
  #id = '';
  /** The agent has begun to answer: only then an idle session has ended this turn, and not the one before. */
  #hasBegun = false;
  #isStopping = false;
  #finish = '';
  #failure: Failure | undefined;

  constructor(server: OpencodeServer, job: RuntimeJob) {
    this.#server = server;
    this.#job = job;
    this.#parts = new OpencodeParts(job.folders.workspace);
    this.#turns = new Turns({
      begin: (text, id) => this.#begin(text, id),
      steer: (text, id) => this.#prompt(text, id),
      stop: () => this.#stop(),
    });
  }

  say = (message: Message): void => this.#turns.say(message);
  interrupt = (): void => this.#turns.interrupt();

  answer(key: string, answer: Answer): void {
    const asked = this.#asked.get(key);
    if (asked && this.#asked.delete(key)) this.#post(asked.path, asked.reply(answer));
  }

  /** The events as lines, the first of which is our own: the session, or why there is none. */
  async *lines(): AsyncGenerator<string> {
    try {
      const events = await this.#server.follow();
      yield `${JSON.stringify(await this.#open())}\n`;
      for await (const data of events) yield `${data}\n`;
    } catch {
      // The program has ended, or a call has failed: `atExit` knows.
    }
  }

  async #open(): Promise<JsonObject> {
    const { session, folders } = this.#job;
    if (session === undefined) return { type: 'opened', id: (await this.#server.call('POST', '/session', {})).body.id };
    const params = { sessionID: session, destination: { directory: folders.workspace } };
    const { ok, body } = await this.#server.call('POST', '/experimental/control-plane/move-session', params);
    return ok ? { type: 'opened', id: session } : { type: 'lost', message: messageIn(body) };
  }

  *read({ type, ...object }: JsonObject): Generator<RuntimeEvent> {
    const params = objectOf(object.properties);
    if (type === 'opened') {
      this.#id = textOf(object.id);
      const { model, prompt } = this.#job;
      yield { type: 'session', id: this.#id, ...(model !== undefined && { model }) };
      this.#begin(prompt, '');
    } else if (type === 'lost') yield fail('session_lost', textOf(object.message), false);
    else if (type === 'permission.asked') yield* this.#readPermission(params);
    else if (type === 'question.asked') yield this.#ask(askQuestion(params));
    else if (type === 'permission.replied' || type === 'question.replied' || type === 'question.rejected') {
      yield* this.#unask((path) => path.includes(`/${textOf(params.requestID)}/`));
    } else if (type === 'message.part.updated') yield* this.#readPart(objectOf(params.part));
    else if (params.sessionID === this.#id) yield* this.#readOwn(textOf(type), params);
  }

  *atExit(): Generator<RuntimeEvent> {
    yield* this.#parts.close();
    if (this.#failure) yield this.#failure;
  }

  *#readOwn(type: string, params: JsonObject): Generator<RuntimeEvent> {
    if (type === 'message.updated') yield* this.#readMessage(objectOf(params.info));
    else if (type === 'message.part.delta') yield* this.#parts.readDelta(params);
    else if (type === 'session.status') yield* this.#readStatus(objectOf(params.status));
    else if (type === 'session.error') this.#readError(objectOf(params.error));
    else if (type === 'session.idle' && (this.#hasBegun || this.#isStopping)) yield* this.#readEnd();
  }

  *#readMessage({ id, role, parentID, finish }: JsonObject): Generator<RuntimeEvent> {
    if (role === 'user') {
      const sent = this.#users.has(textOf(id)) ? undefined : this.#sent.shift();
      if (sent === undefined) return;
      this.#users.add(textOf(id));
      this.#current.add(textOf(id));
      yield* this.#turns.taken(sent);
      if (this.#isStopping) this.#stop();
    } else if (this.#current.has(textOf(parentID))) {
      this.#hasBegun = true;
      this.#finish = textOf(finish);
    }
  }

  *#readPart(part: JsonObject): Generator<RuntimeEvent> {
    const call = textOf(part.callID);
    const { status, input } = objectOf(part.state);
    if (part.type === 'step-finish') yield* this.#readUsed(part);
    if (status === 'running') this.#inputs.set(call, { name: textOf(part.tool), input });
    else if (status !== 'pending') this.#inputs.delete(call);
    if (part.sessionID === this.#id && !this.#users.has(textOf(part.messageID))) yield* this.#parts.read(part);
    const early = this.#early.get(call);
    if (early && this.#early.delete(call)) yield* this.#readPermission(early);
  }

  /** A tool may ask before it has told its input: then it is asked with it. */
  *#readPermission(params: JsonObject): Generator<RuntimeEvent> {
    const call = textOf(objectOf(params.tool).callID);
    const known = this.#inputs.get(call);
    if (call !== '' && known === undefined) this.#early.set(call, params);
    else yield this.#ask(askPermission(params, known));
  }

  #ask(asked: OpencodeAsk): RuntimeEvent {
    this.#asked.set(asked.ask.key, asked);
    return { type: 'ask', ask: asked.ask };
  }

  *#unask(isMeant: (path: string) => boolean): Generator<RuntimeEvent> {
    for (const [key, { path }] of this.#asked) {
      if (isMeant(path) && this.#asked.delete(key)) yield { type: 'unasked', key };
    }
  }

  *#readStatus({ type, attempt, message, next }: JsonObject): Generator<RuntimeEvent> {
    if (type !== 'retry') return;
    const said = textOf(message);
    if (countOf(next) - Date.now() > MAX_RETRY_MS) yield fail('rate_limited', said, true);
    else if (countOf(attempt) > MAX_TRIES) yield toModelFailure(said);
    else yield { type: 'notice', text: `Try ${countOf(attempt)} has failed: ${said}` };
  }

  #readError(error: JsonObject): void {
    if (error.name === 'MessageAbortedError') return;
    const { statusCode } = objectOf(error.data);
    const message = messageIn(error);
    this.#hasBegun = true;
    this.#failure = toModelFailure(message, `${statusCode ?? ''} ${textOf(error.name)} ${message}`);
  }

  *#readEnd(): Generator<RuntimeEvent> {
    this.#hasBegun = false;
    // A message that is under way begins a turn by itself.
    if (this.#sent.length > 0) return;
    const isStopped = this.#isStopping;
    this.#isStopping = false;
    yield* this.#parts.close();
    yield* this.#unask(() => true);
    if (this.#failure) yield this.#failure;
    else yield* this.#turns.ended(isStopped ? fail('no_result', 'The turn was interrupted', true) : this.#toEnding());
  }

  #toEnding(): RuntimeEvent {
    if (this.#finish === 'length') return fail('max_turns', 'The model stopped at the length of an answer', false);
    if (this.#finish === 'content-filter') return fail('refused', 'The provider held the answer back', false);
    return { type: 'success', text: this.#parts.lastText.trim() };
  }

  /** Of the steps of this attempt, those of helpers too. */
  *#readUsed({ id, tokens, cost }: JsonObject): Generator<RuntimeEvent> {
    if (this.#counted.has(textOf(id))) return;
    this.#counted.add(textOf(id));
    const { input, output, reasoning, cache } = objectOf(tokens);
    const { read, write } = objectOf(cache);
    this.#used.input_tokens += countOf(input) + countOf(read) + countOf(write);
    this.#used.cached_input_tokens += countOf(read);
    this.#used.output_tokens += countOf(output) + countOf(reasoning);
    this.#used.reasoning_tokens += countOf(reasoning);
    this.#cost += typeof cost === 'number' && cost > 0 ? cost : 0;
    const amount = { amount: this.#cost, currency: 'USD', estimated: true } as const;
    yield { type: 'used', used: { usage: { ...this.#used }, cost: amount, model: this.#job.model ?? null } };
  }

  #begin(text: string, id: string): void {
    this.#hasBegun = false;
    this.#finish = '';
    this.#current.clear();
    this.#prompt(text, id);
  }

  #prompt(text: string, id: string): void {
    this.#sent.push(id);
    this.#post(`/session/${this.#id}/prompt_async`, { parts: [{ type: 'text', text }] });
  }

  #stop(): void {
    this.#isStopping = true;
    if (this.#id !== '') this.#post(`/session/${this.#id}/abort`);
  }

  /** A call that fails ends the session. */
  #post(path: string, body?: JsonObject): void {
    const failed = (message: string) => {
      this.#failure ??= fail('no_result', `opencode failed to take a call: ${message}`, true);
      this.#server.close();
    };
    this.#server.call('POST', path, body).then(
      (answer) => answer.ok || failed(messageIn(answer.body)),
      (error: unknown) => failed(messageOf(error)),
    );
  }
}

/** Of an error of opencode. */
const messageIn = (error: JsonObject) =>
  textOf(objectOf(error.data).message) || textOf(error.message) || textOf(error.name) || 'an error without a message';
