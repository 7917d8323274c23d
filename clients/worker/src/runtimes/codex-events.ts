import { exactJson } from '@agent-fleet/sdk/exact-json';
import { type Conversation, countOf, detailOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import { type Failure, failure, planOf, type RuntimeEvent, type RuntimeJob } from './runtime.ts';

const DETAILS = ['command', 'query', 'path', 'prompt'];
const LOST_SESSION = /no rollout found for thread id.*/i;

/** What a message of `turn.failed` says, in the order of the checks. */
const FAILURES: [RegExp, Failure['code'], boolean][] = [
  [/max_cost|budget_exceeded/, 'budget_exceeded', false],
  [/\b(?:401|403)\b|invalid_api_key|unauthorized/i, 'auth_failed', false],
  [/quota exceeded|insufficient_quota|billing/i, 'auth_failed', false],
  [/\b429\b|rate.?limit|usage limit|at capacity|overloaded/i, 'rate_limited', true],
  [/usage policy|content.?policy|content_filter|invalid_prompt|flagged/i, 'refused', false],
  [/\b(?:400|404|413|422)\b|context window|invalid schema|does not exist|not supported/i, 'no_result', false],
];

/** Reads the events of `codex exec --json`. */
export class CodexReader implements Conversation {
  readonly #job: Partial<RuntimeJob>;
  #lastMessage = '';
  /** A refusal is no item. */
  #isIdle = true;

  constructor(job: Partial<RuntimeJob>) {
    this.#job = job;
  }

  *read(object: JsonObject): Generator<RuntimeEvent> {
    const { type } = object;
    const { model, session } = this.#job;
    if (type === 'thread.started') {
      const id = textOf(object.thread_id);
      // What is no id of a session is a name, and one that Codex does not know begins a new session.
      if (session !== undefined && id !== session) yield sessionLost(`Codex began another session: ${id}`);
      else yield { type: 'session', id, ...(model !== undefined && { model }) };
    } else if (type === 'turn.completed') {
      yield this.#readUsed(objectOf(object.usage));
      yield this.#succeed();
    } else if (type === 'turn.failed') yield toFailure(messageOf(objectOf(object.error)));
    else if (type === 'error') yield { type: 'notice', text: messageOf(object) };
    else if (typeof type === 'string' && type.startsWith('item.')) yield* this.#readItem(type, objectOf(object.item));
  }

  *#readItem(event: string, item: JsonObject): Generator<RuntimeEvent> {
    const { type } = item;
    const isCompleted = event === 'item.completed';
    if (type !== 'error' && type !== 'reasoning') this.#isIdle = false;
    if (type === 'agent_message') {
      if (!isCompleted) return;
      this.#lastMessage = textOf(item.text);
      if (this.#lastMessage !== '') yield { type: 'text', text: `${this.#lastMessage}\n` };
    } else if (type === 'todo_list') yield planOf(objectsOf(item.items), ({ completed }) => completed === true);
    else if (type === 'error') yield { type: 'notice', text: messageOf(item) };
    else if (type === 'file_change') {
      const paths = objectsOf(item.changes).map(({ path }) => textOf(path));
      if (isCompleted)
        yield { type: 'tool', name: 'file_change', detail: detailOf({ path: paths.join(', ') }, DETAILS) };
    } else if (event === 'item.started') yield toTool(item);
  }

  #succeed(): RuntimeEvent {
    if (this.#isIdle) return toFailure('Codex ended its turn without an answer');
    const output = this.#job.outputSchema === undefined ? undefined : parse(this.#lastMessage);
    return { type: 'success', text: this.#lastMessage, ...(output !== undefined && { output }) };
  }

  /** On a resumed session the numbers are of the whole session. */
  #readUsed(usage: JsonObject): RuntimeEvent {
    const tokens = {
      input_tokens: countOf(usage.input_tokens),
      cached_input_tokens: countOf(usage.cached_input_tokens),
      output_tokens: countOf(usage.output_tokens),
      reasoning_tokens: countOf(usage.reasoning_output_tokens),
    };
    const used = { usage: tokens, cost: null, model: this.#job.model ?? null };
    return { type: 'used', used, ofSession: this.#job.session !== undefined };
  }

  *atExit(stderr: string): Generator<RuntimeEvent> {
    const lost = LOST_SESSION.exec(stderr);
    if (lost) yield sessionLost(lost[0]);
  }
}

const sessionLost = (message: string): Failure => failure('session_lost', message, false);

function toTool({ type, ...item }: JsonObject): RuntimeEvent {
  const name = type === 'mcp_tool_call' ? `${textOf(item.server)}.${textOf(item.tool)}` : textOf(type);
  return { type: 'tool', name, detail: detailOf(item, DETAILS) };
}

/** The message of an error; a body of the provider's JSON is shown as its own message. */
function messageOf(error: JsonObject): string {
  const message = textOf(error.message);
  const inner = textOf(objectOf(objectOf(parse(message)).error).message);
  return inner || message || 'Codex reported an error without a message';
}

function toFailure(message: string): Failure {
  const [, code, retryable] = FAILURES.find(([pattern]) => pattern.test(message)) ?? [];
  return failure(code ?? 'no_result', message, retryable ?? true);
}

function parse(text: string): unknown {
  try {
    return exactJson.parse(text);
  } catch {
    return undefined;
  }
}
