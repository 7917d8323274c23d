import { randomUUID } from 'node:crypto';
import { detailOf, type JsonObject, objectOf, textOf } from '../json.ts';
import {
  type Answer,
  ASK_SERVER,
  failure,
  type Message,
  type RuntimeEvent,
  type RuntimeJob,
  type RuntimeProcess,
  type RuntimeSession,
} from '../runtime.ts';
import { Asks } from '../session/asks.ts';
import { toModelFailure } from '../session/failures.ts';
import { JsonRpc, METHOD_NOT_FOUND, type Receiver } from '../session/json-rpc.ts';
import { type Conversation, createSession } from '../session/program-session.ts';
import { decisionOf } from '../session/questions.ts';
import { type TurnProgram, Turns } from '../session/turns.ts';
import { toFailure, toLoadFailure } from './failures.ts';
import { decide, describeDenial, mayCall, toApproval, toOutcome, verdictOf } from './permissions.ts';
import { CLIENT, modelSetting, modeSetting, PROTOCOL_VERSION, placeOf, systemPromptOf, takesHttp } from './setup.ts';
import { UpdateReader } from './updates.ts';

/**
 * An agent may repeat a loaded session after it has said that it is loaded: the prompt waits until it is quiet, for
 * longer than a busy machine holds an agent up.
 */
const QUIET_MS = 1_000;
const MAX_REPEAT_MS = 10_000;
const CANCELLED = { outcome: 'cancelled' } as const;

export interface AcpOptions {
  /** Sets model and mode over the protocol: for agents whose command line does not. */
  setsModel?: boolean;
  /** Tools that `read-only` allows though their kind is not to read, by the id of the call. */
  isHarmless?(toolCallId: string): boolean;
  /** Matches what the agent says by itself among the words of the model. */
  ownWords?: RegExp;
}

/** A request of the agent, and what it is told when its turn stops. */
interface Asker {
  id: unknown;
  withdrawn: JsonObject;
}

type OnResult = (result: JsonObject) => Iterable<RuntimeEvent> | undefined;

/** Speaks with an agent of the Agent Client Protocol, version 1, over stdin and stdout. */
export function connectAcp(process: RuntimeProcess, job: RuntimeJob, options: AcpOptions = {}): RuntimeSession {
  return createSession(process, job, new AcpSession(process, job, options));
}

class AcpSession implements Conversation, Receiver, TurnProgram {
  readonly #stdin: RuntimeProcess['stdin'];
  readonly #job: RuntimeJob;
  readonly #options: AcpOptions;
  readonly #rpc: JsonRpc;
  readonly #turns = new Turns(this);
  readonly #asks = new Asks<Asker>();
  readonly #reader: UpdateReader;
  /** What is told with the next message of the agent. */
  readonly #later: RuntimeEvent[] = [];
  #id = '';
  #steers = false;
  /** By its system prompt. */
  #isInstructed = false;
  /** False until the prompt is sent: a loaded session repeats all that was said before. */
  #isPrompted = false;
  #isRunning = false;
  #isStopping = false;
  #isCancelled = false;
  #updatedAt = 0;

  constructor({ stdin }: RuntimeProcess, job: RuntimeJob, options: AcpOptions) {
    this.#stdin = stdin;
    this.#job = job;
    this.#options = options;
    this.#reader = new UpdateReader(job, options.ownWords);
    this.#rpc = new JsonRpc(stdin, this);
    this.#call('initialize', CLIENT, (started) => this.#open(started));
  }

  say = (message: Message): void => this.#turns.say(message);
  interrupt = (): void => this.#turns.interrupt();
  answer = (key: string, answer: Answer): void => this.#asks.answer(key, answer);

  *read(message: JsonObject): Generator<RuntimeEvent> {
    yield* this.#later.splice(0);
    yield* this.#rpc.read(message);
  }

  /** An agent that has exited says why on stderr, which the worker reports. */
  atExit = (): RuntimeEvent[] => this.#later;

  /** The agent ends its tools, and then itself. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#isRunning) this.stop();
    else this.#stdin.end();
  }

  suspend(): void {
    this.cancel();
  }

  #call(method: string, params: JsonObject, onResult: OnResult, toError = toFailure): void {
    this.#rpc.request(method, params, ({ result, error }) => {
      if (error === undefined) return onResult(result);
      return this.#isCancelled ? undefined : [toError(error)];
    });
  }

  *#open({ protocolVersion, agentCapabilities, agentInfo, _meta: meta }: JsonObject): Generator<RuntimeEvent> {
    const { session } = this.#job;
    const servers = this.#job.servers.filter(({ name }) => name !== ASK_SERVER);
    const capabilities = objectOf(agentCapabilities);
    const place = placeOf(this.#job, capabilities);
    // As adapters announce that they take a message into a running turn.
    this.#steers = objectOf(objectOf(meta).steering).supported === true;
    if (protocolVersion !== PROTOCOL_VERSION) {
      yield failure('no_result', `The agent does not speak version ${PROTOCOL_VERSION} of the protocol`, false);
    } else if (servers.length > 0 && !takesHttp(capabilities)) {
      const names = servers.map(({ name }) => name).join(', ');
      yield failure('mcp_unavailable', `The agent takes no MCP servers over HTTP: ${names}`, false);
    } else if (session === undefined) {
      const systemPrompt = this.#options.setsModel ? systemPromptOf(this.#job, agentInfo) : undefined;
      this.#isInstructed = systemPrompt !== undefined;
      const params = { ...place, ...(systemPrompt && { systemPrompt }) };
      this.#call('session/new', params, (opened) => this.#readSession(textOf(opened.sessionId), opened));
    } else if (capabilities.loadSession !== true)
      yield failure('session_lost', 'The agent cannot load sessions', false);
    else {
      const params = { sessionId: session, ...place };
      this.#call('session/load', params, (opened) => this.#readSession(session, opened), toLoadFailure);
    }
  }

  *#readSession(id: string, opened: JsonObject): Generator<RuntimeEvent> {
    const { model, permissions } = this.#job;
    this.#id = id;
    yield { type: 'session', id, ...(model !== undefined && { model }) };
    const { setsModel = false } = this.#options;
    const forModel = model === undefined ? undefined : modelSetting(model, opened);
    if (setsModel && model !== undefined && forModel === undefined) {
      yield { type: 'notice', text: `The agent does not let its model be chosen: ${model} is not set` };
    }
    const settings = setsModel ? [modeSetting(permissions, opened), forModel] : [];
    this.#set(settings.filter((setting) => setting !== undefined));
  }

  /** Sends requests one after the other, and then the prompt. */
  #set([next, ...others]: { method: string; params: JsonObject }[]): undefined {
    if (next === undefined) this.#beginWhenQuiet(performance.now());
    else this.#call(next.method, { sessionId: this.#id, ...next.params }, () => this.#set(others));
  }

  #beginWhenQuiet(since: number): void {
    const now = performance.now();
    const restMs = Math.max(since, this.#updatedAt) + QUIET_MS - now;
    if (this.#job.session === undefined || restMs <= 0 || now > since + MAX_REPEAT_MS) {
      this.begin(this.#firstPrompt(), '');
    } else setTimeout(() => this.#beginWhenQuiet(since), restMs).unref();
  }

  /** Of an agent whose system prompt nobody can add to. */
  #firstPrompt(): string {
    const { prompt, instructions } = this.#job;
    if (!this.#options.setsModel || this.#isInstructed || !instructions) return prompt;
    return `Your instructions:\n\n${instructions}\n\nThe task:\n\n${prompt}`;
  }

  begin(text: string, id: string): void {
    this.#isPrompted = true;
    this.#isRunning = true;
    this.#later.push(...this.#turns.taken(id));
    const prompt = [{ type: 'text', text: withoutCommand(text) }];
    this.#call('session/prompt', { sessionId: this.#id, prompt }, (response) => this.#readEnd(response));
    if (this.#isStopping) this.stop();
  }

  steer(text: string, id: string): void {
    if (!this.#steers || !this.#isRunning) {
      this.#turns.refused(id);
      return;
    }
    const prompt = [{ type: 'text', text: withoutCommand(text) }];
    this.#rpc.request('_session/steering', { sessionId: this.#id, prompt }, ({ error }) => {
      if (error === undefined) return this.#turns.taken(id);
      this.#turns.refused(id);
      return undefined;
    });
  }

  stop(): void {
    this.#isStopping = true;
    if (!this.#isRunning) return;
    for (const { id, withdrawn } of this.#asks.askers()) this.#rpc.respond(id, { result: withdrawn });
    this.#rpc.notify('session/cancel', { sessionId: this.#id });
  }

  *onNotification(method: string, params: JsonObject): Generator<RuntimeEvent> {
    if (method !== 'session/update') return;
    this.#updatedAt = performance.now();
    if (this.#isPrompted && params.sessionId === this.#id) yield* this.#reader.read(objectOf(params.update));
  }

  *onRequest(id: unknown, method: string, params: JsonObject): Generator<RuntimeEvent> {
    if (method === 'session/request_permission') yield* this.#readPermission(id, params);
    else if (method === 'elicitation/create') yield* this.#readElicitation(id, params);
    else this.#rpc.respond(id, { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
  }

  *#readPermission(id: unknown, params: JsonObject): Generator<RuntimeEvent> {
    const verdict = verdictOf(params, this.#job);
    const isRestricted = verdict === 'deny' || verdict === 'ask';
    const isAllowed = !isRestricted && mayCall(params, this.#job, this.#options.isHarmless);
    if (!isAllowed && !this.#isStopping && verdict !== 'deny' && this.#job.approvals === 'ask') {
      yield* this.#showCall(params);
      const ask = toApproval(params, this.#job.folders);
      const asker = { id, withdrawn: { outcome: CANCELLED } };
      yield this.#asks.ask(ask, asker, (answer) => this.#decide(id, params, ask, answer));
      return;
    }
    const outcome = this.#isStopping ? CANCELLED : decide(params, isAllowed);
    this.#rpc.respond(id, { result: { outcome } });
    if (!isAllowed) yield describeDenial(params);
    else if (outcome.outcome === 'selected') yield* this.#showCall(params);
  }

  /** Gemini CLI says only at its end that such a tool runs. */
  #showCall({ toolCall }: JsonObject): Iterable<RuntimeEvent> {
    return this.#reader.read({ ...objectOf(toolCall), sessionUpdate: 'tool_call_update' });
  }

  /** The protocol has no words for a denial, and some agents end their turn: they are said in the next one. */
  #decide(id: unknown, params: JsonObject, ask: ReturnType<typeof toApproval>, answer: Answer): void {
    const { role, text } = decisionOf(ask.options, answer);
    this.#rpc.respond(id, { result: { outcome: toOutcome(params, ask.options, answer) } });
    if (role !== 'deny') return;
    this.#later.push(describeDenial(params));
    const words = `A person has denied your call (${ask.title}): ${text}`;
    if (text !== '') this.#turns.say({ id: `${ask.key}:words`, text: words, mode: 'queue' });
  }

  *#readElicitation(id: unknown, params: JsonObject): Generator<RuntimeEvent> {
    const withdrawn = { action: 'cancel' };
    const [title, schema] = [detailOf(params, ['message']), objectOf(params.requestedSchema)];
    if (this.#isStopping) this.#rpc.respond(id, { result: withdrawn });
    else {
      const ask = { key: `elicitation-${randomUUID()}`, kind: 'form', title, schema } as const;
      yield this.#asks.ask(ask, { id, withdrawn }, (answer) => {
        this.#rpc.respond(id, { result: answer ? { action: 'accept', content: answer.values ?? {} } : withdrawn });
      });
    }
  }

  *#readEnd(response: JsonObject): Generator<RuntimeEvent> {
    this.#isRunning = false;
    this.#isStopping = false;
    yield* this.#reader.readEnd(response);
    yield* this.#asks.withdraw();
    if (this.#isCancelled) this.#stdin.end();
    else yield* this.#turns.ended(this.#toEnding(textOf(response.stopReason)));
  }

  #toEnding(stopReason: string): RuntimeEvent {
    const { finalText: text, lastOwnWords: words = '' } = this.#reader;
    // A turn whose model call has failed ends like any other: only the last words say that it failed.
    if (stopReason === 'end_turn')
      return words.startsWith('Error: ') ? toModelFailure(words) : { type: 'success', text };
    if (stopReason === 'max_tokens' || stopReason === 'max_turn_requests') {
      return failure('max_turns', `The agent stopped at a limit of its own: ${stopReason}`, false);
    }
    if (stopReason === 'refusal') return failure('refused', text || 'The model refused to go on', false);
    return failure('no_result', `The agent stopped without a result: ${stopReason}`, true);
  }
}

/**
 * A message that begins with a slash, or a dollar sign, is a command of the agent: Gemini CLI's `/extensions install`
 * asks nobody. So something is before it, which no agent trims.
 */
const withoutCommand = (text: string) => (/^\s*[/$]/.test(text) ? `The task:\n\n${text}` : text);
