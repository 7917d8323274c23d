import { randomUUID } from 'node:crypto';
import { createClaudeEntries } from './claude-entries.ts';
import { ClaudeGate, type GateJob, gateOf } from './claude-gate.ts';
import { isCut, readResult } from './claude-results.ts';
import { countOf, detailOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import { type Answer, failure, type Message, type RuntimeEvent } from './runtime.ts';
import type { Conversation } from './session/program-session.ts';

const NOTICES = new Set(['informational', 'model_refusal_no_fallback']);
const INVALID_SCHEMA = /--json-schema is not a valid JSON Schema.*/;
const SANDBOX_LOST = /Sandboxing is disabled|command sandbox has been disabled/;
/** How soon Claude Code takes a message; absent: at the next tool of the turn. */
const PRIORITIES = { queue: 'later', steer: undefined, interrupt: undefined };

/** Reads what Claude Code writes, and writes to it with `send`. */
export class ClaudeConversation implements Conversation {
  readonly #job: GateJob;
  readonly #send: (message: unknown) => void;
  readonly #end: () => void;
  readonly #gate: ClaudeGate;
  readonly #entries = createClaudeEntries();
  #hasBegun = false;
  /** Messages that are not completed, by their uuid. The prompt has no id. */
  readonly #pending = new Map<string, { id: string | undefined; mode: Message['mode']; isPrompt: boolean }>();
  /** Whether this version tells what has become of a message. */
  #hasReceipts = false;
  /** Of the last turn, until the next one begins. */
  #result: JsonObject | undefined;
  #state: 'working' | 'interrupting' | 'interrupted' | 'cancelling' | 'suspending' | 'suspended' = 'working';
  /** Of a session that goes on with what it has deferred: each call is asked for until that one is answered. */
  #isResuming = false;

  /** @param end closes the input: Claude Code exits when it has nothing more to do */
  constructor(job: GateJob, send: (message: unknown) => void, end: () => void) {
    this.#job = job;
    this.#send = send;
    this.#end = end;
    this.#gate = new ClaudeGate(job, (id, response) =>
      send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } }),
    );
  }

  /** Without a prompt a session goes on with what it has deferred. */
  begin(prompt: string): void {
    this.#control('initialize', { hooks: gateOf(this.#job) });
    if (prompt !== '') this.#write(undefined, prompt, 'queue');
    else this.#isResuming = this.#job.permissions === 'edit';
  }

  answer(key: string, answer: Answer): void {
    this.#gate.answer(key, answer);
    if (this.#isResuming) this.#control('set_permission_mode', { mode: 'acceptEdits' });
    this.#isResuming = false;
  }

  say({ id, text, mode }: Message): void {
    const isWorking = this.#state !== 'interrupted';
    if (mode === 'interrupt' && isWorking) this.#control('interrupt');
    this.#state = 'working';
    this.#write(id, text, mode, isWorking ? PRIORITIES[mode] : undefined, !isWorking);
  }

  interrupt(): void {
    this.#state = 'interrupting';
    this.#control('interrupt');
  }

  cancel(): void {
    this.#state = 'cancelling';
    this.#control('interrupt');
  }

  suspend(): void {
    const isIdle = this.#state === 'interrupted';
    this.#state = 'suspending';
    if (isIdle) this.#end();
    else if (!this.#gate.defer()) this.#control('interrupt');
  }

  #control(subtype: string, more: object = {}): void {
    this.#send({ type: 'control_request', request_id: subtype, request: { subtype, ...more } });
  }

  /** A message that begins with a slash is a command, such as `/config`, unless something is before it. */
  #write(id: string | undefined, text: string, mode: Message['mode'], priority?: string, isPrompt = false): void {
    const uuid = randomUUID();
    this.#pending.set(uuid, { id, mode, isPrompt });
    const content = text.startsWith('/') ? `\n${text}` : text;
    this.#send({ type: 'user', uuid, ...(priority && { priority }), message: { role: 'user', content } });
  }

  *read(object: JsonObject): Generator<RuntimeEvent> {
    const { type } = object;
    if (type === 'system') yield* this.#readSystem(object);
    else if (type === 'assistant') yield* this.#entries.readAssistant(object);
    else if (type === 'user') yield* this.#readResults(object);
    else if (type === 'stream_event') yield* readDelta(object);
    else if (type === 'command_lifecycle') yield* this.#readReceipt(textOf(object.command_uuid), object.state);
    else if (type === 'control_request') yield* this.#readRequest(textOf(object.request_id), objectOf(object.request));
    else if (type === 'control_cancel_request') yield* this.#gate.withdraw(object.request_id);
    else if (type === 'result') {
      this.#result = object;
      yield* this.#gate.withdraw();
      if (this.#state !== 'suspending') yield { type: 'turn', calls: countOf(object.num_turns) };
      yield* this.#settle();
    }
  }

  *#readRequest(id: string, request: JsonObject): Generator<RuntimeEvent> {
    const isHook = request.subtype === 'hook_callback';
    if (!isHook && request.subtype !== 'can_use_tool') return;
    const events = isHook ? this.#gate.readHook(id, request) : this.#gate.readPermission(id, request);
    for (const event of events) {
      // A resumed session does not repeat the call.
      if (event.type === 'ask') this.#entries.begin(event.ask.key, event.ask.tool?.name);
      yield event;
    }
  }

  /** A sandbox that fails to start is given up for the whole session: commands then need a permission. */
  *#readResults(object: JsonObject): Generator<RuntimeEvent> {
    const { message } = object;
    if (this.#gate.isSandboxed && SANDBOX_LOST.test(JSON.stringify(message ?? ''))) this.#gate.isSandboxed = false;
    for (const part of objectsOf(objectOf(message).content)) yield* this.#gate.readDenial(textOf(part.tool_use_id));
    yield* this.#entries.readResults(object);
  }

  *#readReceipt(uuid: string, state: unknown): Generator<RuntimeEvent> {
    this.#hasReceipts = true;
    const message = this.#pending.get(uuid);
    if (message === undefined) return;
    const { id, mode, isPrompt } = message;
    if (state === 'started') {
      this.#result = undefined;
      this.#pending.set(uuid, { ...message, id: undefined });
      if (id !== undefined) yield { type: 'delivered', id, as: isPrompt ? 'prompt' : mode };
    } else if (state === 'completed' || state === 'cancelled') {
      this.#pending.delete(uuid);
      if (state === 'cancelled' && id !== undefined) yield { type: 'dropped', id };
      yield* this.#settle();
    }
  }

  /** The session has ended when its turn has, and no message waits for another one. */
  *#settle(): Generator<RuntimeEvent> {
    const result = this.#result;
    if (result === undefined) return;
    if (this.#state === 'suspending') {
      this.#state = 'suspended';
      const key = textOf(objectOf(result.deferred_tool_use).id);
      if (key !== '') yield { type: 'deferred', key };
      this.#end();
    } else if (isCut(result) && this.#state === 'interrupting') {
      this.#state = 'interrupted';
      yield { type: 'interrupted' };
    } else if (this.#state === 'interrupted' || this.#state === 'suspended') return;
    else if (!this.#hasReceipts || this.#pending.size === 0 || isFatal(result)) yield readResult(result);
  }

  *#readSystem(object: JsonObject): Generator<RuntimeEvent> {
    const { subtype } = object;
    if (subtype === 'init') {
      this.#gate.isSandboxed = object.sandbox_enabled === true;
      // Each turn begins with one.
      if (!this.#hasBegun) yield* this.#readInit(object);
    } else if (subtype === 'command_lifecycle') {
      yield* this.#readReceipt(textOf(object.command_uuid), object.state);
    } else if (subtype === 'api_retry') {
      const status = object.error_status === null ? '' : ` ${object.error_status}`;
      const count = `${object.attempt} of ${object.max_retries}`;
      yield { type: 'notice', text: `The model call failed (${textOf(object.error)}${status}), retry ${count}` };
    } else if (subtype === 'permission_denied') {
      const detail = detailOf(object, ['decision_reason', 'message']);
      yield { type: 'denied', tool: textOf(object.tool_name), detail };
    } else if (NOTICES.has(textOf(subtype)) && object.content) {
      yield { type: 'notice', text: detailOf(object, ['content']) };
    }
  }

  *#readInit(object: JsonObject): Generator<RuntimeEvent> {
    this.#hasBegun = true;
    yield { type: 'session', id: textOf(object.session_id), model: textOf(object.model) };
    const { permissions, approvals } = this.#job;
    if (permissions !== 'edit' || this.#gate.isSandboxed) return;
    const what = approvals === 'ask' ? 'a person is asked for most commands' : 'most commands of the agent are denied';
    yield { type: 'notice', text: `There is no sandbox (on Linux it needs bubblewrap and socat): ${what}` };
  }

  *atExit(stderr: string): Generator<RuntimeEvent> {
    const invalid = INVALID_SCHEMA.exec(stderr);
    if (invalid) yield failure('output_invalid', invalid[0], false);
  }
}

/** No further turn would go better. */
const isFatal = (result: JsonObject) => !isCut(result) && result.is_error === true;

/** Sub-agents write no text for people. */
function* readDelta({ event, parent_tool_use_id: parent }: JsonObject): Generator<RuntimeEvent> {
  const { type, delta } = objectOf(event);
  const text = textOf(objectOf(delta).text);
  if (type === 'content_block_delta' && text !== '' && !parent) yield { type: 'delta', text };
}
