import { messageOf } from '../../errors.ts';
import { countOf, type JsonObject, objectOf, textOf } from '../json.ts';
import { type Answer, type Failure, failure, type Message, type RuntimeEvent, type RuntimeJob } from '../runtime.ts';
import { Asks } from '../session/asks.ts';
import { toModelFailure } from '../session/failures.ts';
import type { Conversation, Line } from '../session/program-session.ts';
import { type TurnProgram, Turns } from '../session/turns.ts';
import { askPermission, askQuestion, type OpencodeAsk } from './asks.ts';
import { OpencodeParts } from './parts.ts';
import type { OpencodeServer } from './server.ts';

/** opencode tries for ever, and waits as long as a provider says. */
const MAX_TRIES = 3;
const MAX_RETRY_MS = 60_000;

/** A conversation with `opencode serve`: its events are read as they come, and answered by calls. */
export class OpencodeSession implements Conversation, TurnProgram {
  readonly #server: OpencodeServer;
  readonly #job: RuntimeJob;
  readonly #turns = new Turns(this);
  readonly #parts: OpencodeParts;
  /** By the path of the reply. */
  readonly #asks = new Asks<string>();
  /** Permissions whose tool has not told its input yet, by its call. */
  readonly #early = new Map<string, JsonObject>();
  /** What runs, by its call. */
  readonly #inputs = new Map<string, { name: string; input: unknown }>();
  /** Sent, and not yet a message of the session; in their order. */
  readonly #sent: string[] = [];
  /** Messages of people, as opencode names them; and those of this turn. Old ones come again with their changes. */
  readonly #users = new Set<string>();
  readonly #current = new Set<string>();
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
  }

  say = (message: Message): void => this.#turns.say(message);
  interrupt = (): void => this.#turns.interrupt();
  cancel = (): void => this.#server.close();
  answer = (key: string, answer: Answer): void => this.#asks.answer(key, answer);

  /** The events, the first of which is our own: the session, or why there is none. */
  async *lines(): AsyncGenerator<Line> {
    try {
      const events = await this.#server.follow();
      yield { object: await this.#open() };
      for await (const object of events) yield { object };
    } catch (error) {
      // Of a program that has ended, or was told to, `atExit` knows.
      if (!this.#server.hasEnded) yield { object: { type: 'broken', message: messageOf(error) } };
    } finally {
      this.#server.close();
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
      this.begin(prompt, '');
    } else if (type === 'lost') yield failure('session_lost', textOf(object.message), false);
    else if (type === 'broken') {
      yield { type: 'notice', text: `The connection to opencode has failed: ${textOf(object.message)}` };
    } else if (type === 'permission.asked') yield* this.#readPermission(params);
    else if (type === 'question.asked') yield this.#ask(askQuestion(params));
    else if (type === 'permission.replied' || type === 'question.replied' || type === 'question.rejected') {
      yield* this.#asks.withdraw((path) => path.includes(`/${textOf(params.requestID)}/`));
    } else if (type === 'message.part.updated') yield* this.#readPart(objectOf(params.part));
    else if (params.sessionID === this.#id) yield* this.#readOwn(textOf(type), params);
  }

  atExit = (): RuntimeEvent[] => (this.#failure ? [this.#failure] : []);

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
      if (this.#isStopping) this.stop();
    } else if (this.#current.has(textOf(parentID))) {
      this.#hasBegun = true;
      this.#finish = textOf(finish);
    }
  }

  *#readPart(part: JsonObject): Generator<RuntimeEvent> {
    const call = textOf(part.callID);
    const { status, input } = objectOf(part.state);
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

  #ask({ ask, path, reply }: OpencodeAsk): RuntimeEvent {
    return this.#asks.ask(ask, path, (answer) => this.#post(path, reply(answer)));
  }

  *#readStatus({ type, attempt, message, next }: JsonObject): Generator<RuntimeEvent> {
    if (type !== 'retry') return;
    const said = textOf(message);
    if (countOf(next) - Date.now() > MAX_RETRY_MS) yield failure('rate_limited', said, true);
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
    this.#parts.close();
    yield* this.#asks.withdraw();
    if (this.#failure) yield this.#failure;
    else
      yield* this.#turns.ended(isStopped ? failure('no_result', 'The turn was interrupted', true) : this.#toEnding());
  }

  #toEnding(): RuntimeEvent {
    if (this.#finish === 'length') return failure('max_turns', 'The model stopped at the length of an answer', false);
    if (this.#finish === 'content-filter') return failure('refused', 'The provider held the answer back', false);
    return { type: 'success', text: this.#parts.lastText.trim() };
  }

  begin(text: string, id: string): void {
    this.#hasBegun = false;
    this.#finish = '';
    this.#current.clear();
    this.steer(text, id);
  }

  steer(text: string, id: string): void {
    this.#sent.push(id);
    this.#post(`/session/${this.#id}/prompt_async`, { parts: [{ type: 'text', text }] });
  }

  stop(): void {
    this.#isStopping = true;
    if (this.#id !== '') this.#post(`/session/${this.#id}/abort`);
  }

  /** A call that fails ends the session. */
  #post(path: string, body?: JsonObject): void {
    const failed = (message: string) => {
      this.#failure ??= failure('no_result', `opencode failed to take a call: ${message}`, true);
      this.#server.close();
    };
    this.#server.call('POST', path, body).then(
      (answer) => answer.ok || failed(messageIn(answer.body)),
      (error: unknown) => this.#server.hasEnded || failed(messageOf(error)),
    );
  }
}

/** Of an error of opencode. */
const messageIn = (error: JsonObject) =>
  textOf(objectOf(error.data).message) || textOf(error.message) || textOf(error.name) || 'an error without a message';
