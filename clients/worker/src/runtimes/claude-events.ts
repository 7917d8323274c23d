import type { Cost, Usage } from '../task.ts';
import { type Conversation, countOf, detailOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import { type Failure, failure, planOf, type RuntimeEvent, type RuntimeJob } from './runtime.ts';

const DETAILS = ['command', 'file_path', 'notebook_path', 'pattern', 'skill', 'url', 'query', 'description'];
/** Their input is the output, or the question. */
const SILENT_TOOLS = new Set(['StructuredOutput', 'AskUserQuestion']);
const NOTICES = new Set(['informational', 'model_refusal_no_fallback']);
const LOST_SESSION = /No conversation found with session ID|--resume requires a valid session/;
const INVALID_SCHEMA = /--json-schema is not a valid JSON Schema.*/;
const SANDBOX_LOST = /Sandboxing is disabled|command sandbox has been disabled/;

type Tokens = Record<'input' | 'cacheRead' | 'cacheCreation' | 'output' | 'reasoning', number>;

/** Reads what Claude Code writes, and answers its requests for permission with `send`. */
export class ClaudeReader implements Conversation {
  readonly #job: Pick<RuntimeJob, 'permissions' | 'session'>;
  readonly #send: (message: unknown) => void;
  #model: string | null = null;
  #isSandboxed = false;
  #question: string | undefined;

  constructor(job: Pick<RuntimeJob, 'permissions' | 'session'>, send: (message: unknown) => void) {
    this.#job = job;
    this.#send = send;
  }

  *read(object: JsonObject): Generator<RuntimeEvent> {
    const { type } = object;
    if (type === 'system') yield* this.#readSystem(object);
    else if (type === 'assistant') yield* readMessage(objectOf(object.message));
    else if (type === 'user') this.#readResults(object);
    else if (type === 'control_request') yield* this.#answer(textOf(object.request_id), objectOf(object.request));
    else if (type === 'result') {
      yield* readUsed(object, { model: this.#model, isResumed: this.#job.session !== undefined });
      if (this.#question !== undefined) yield { type: 'question', text: this.#question };
      else yield readResult(object);
    }
  }

  /** A sandbox that fails to start is given up for the whole session: commands that ask are then denied. */
  #readResults({ message }: JsonObject): void {
    if (this.#isSandboxed && SANDBOX_LOST.test(JSON.stringify(message ?? ''))) this.#isSandboxed = false;
  }

  *#readSystem(object: JsonObject): Generator<RuntimeEvent> {
    const { subtype } = object;
    if (subtype === 'init') {
      this.#isSandboxed = object.sandbox_enabled === true;
      // A session that goes on after a compaction begins again.
      if (this.#model === null) yield* this.#readInit(object);
    } else if (subtype === 'api_retry') {
      const status = object.error_status === null ? '' : ` ${object.error_status}`;
      const count = `${object.attempt} of ${object.max_retries}`;
      yield { type: 'notice', text: `The model call failed (${textOf(object.error)}${status}), retry ${count}` };
    } else if (subtype === 'permission_denied') {
      yield {
        type: 'denied',
        tool: textOf(object.tool_name),
        detail: detailOf(object, ['decision_reason', 'message']),
      };
    } else if (NOTICES.has(textOf(subtype)) && object.content) {
      yield { type: 'notice', text: detailOf(object, ['content']) };
    }
  }

  *#readInit(object: JsonObject): Generator<RuntimeEvent> {
    this.#model = textOf(object.model);
    yield { type: 'session', id: textOf(object.session_id), model: this.#model };
    if (this.#job.permissions !== 'edit' || this.#isSandboxed) return;
    const text = 'There is no sandbox (on Linux it needs bubblewrap and socat): most commands of the agent are denied';
    yield { type: 'notice', text };
  }

  *#answer(id: string, request: JsonObject): Generator<RuntimeEvent> {
    if (request.subtype !== 'can_use_tool') return;
    const tool = textOf(request.tool_name);
    const input = objectOf(request.input);
    const respond = (response: unknown) =>
      this.#send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
    if (tool === 'AskUserQuestion') {
      this.#question = describeQuestions(input);
      // The turn ends here, so that the session can go on with the answer.
      respond({ behavior: 'deny', message: 'A person will answer in the next message', interrupt: true });
    } else if (tool === 'Skill' || (tool === 'Bash' && this.#isSandboxed)) {
      // Claude Code asks for commands that it cannot analyze; none leaves the sandbox.
      respond({ behavior: 'allow', updatedInput: input });
    } else {
      respond({ behavior: 'deny', message: 'This is not permitted here, and nobody can permit it: go on without it' });
      yield { type: 'denied', tool, detail: detailOf(input, DETAILS) };
    }
  }

  *atExit(stderr: string): Generator<RuntimeEvent> {
    if (this.#question !== undefined) yield { type: 'question', text: this.#question };
    const invalid = INVALID_SCHEMA.exec(stderr);
    if (invalid) yield failure('output_invalid', invalid[0], false);
  }
}

function* readMessage(message: JsonObject): Generator<RuntimeEvent> {
  for (const part of objectsOf(message.content)) {
    if (part.type === 'text' && textOf(part.text) !== '') yield { type: 'text', text: `${textOf(part.text)}\n` };
    if (part.type !== 'tool_use') continue;
    const input = objectOf(part.input);
    if (part.name === 'TodoWrite') yield planOf(objectsOf(input.todos), ({ status }) => status === 'completed');
    else if (!SILENT_TOOLS.has(textOf(part.name))) {
      yield { type: 'tool', name: textOf(part.name), detail: detailOf(input, DETAILS) };
    }
  }
}

function describeQuestions(input: JsonObject): string {
  const questions = objectsOf(input.questions).map(({ question, options }) => {
    const choices = objectsOf(options).map(({ label }) => textOf(label));
    return choices.length === 0 ? textOf(question) : `${textOf(question)} (${choices.join(', ')})`;
  });
  return questions.join('\n') || 'The agent asks a question without a text';
}

/** Of this run where the version tells it, else of the whole session. Nothing when no model call succeeded. */
function* readUsed(
  result: JsonObject,
  { model, isResumed }: { model: string | null; isResumed: boolean },
): Generator<RuntimeEvent> {
  const ofRun = result.model_usage_since_last_result;
  const models = objectsOf(Object.values(objectOf(ofRun ?? result.modelUsage)));
  if (models.length === 0) return;
  const amount = models.reduce((sum, { costUSD }) => sum + (typeof costUSD === 'number' ? costUSD : 0), 0);
  const used = { usage: toUsage(models.map(tokensOf)), cost: costOf(amount), model };
  yield { type: 'used', used, ofSession: isResumed && ofRun === undefined, turns: countOf(result.num_turns) };
}

/** Claude Code computes it from a price list of its own. */
const costOf = (amount: number): Cost => ({ amount, currency: 'USD', estimated: true });

const tokensOf = (usage: JsonObject): Tokens => ({
  input: countOf(usage.inputTokens),
  cacheRead: countOf(usage.cacheReadInputTokens),
  cacheCreation: countOf(usage.cacheCreationInputTokens),
  output: countOf(usage.outputTokens),
  reasoning: countOf(usage.thinkingTokens),
});

/** Anthropic's input tokens leave out what is read from the cache and written to it. */
function toUsage(models: Tokens[]): Usage {
  const sum = (of: (tokens: Tokens) => number) => models.reduce((total, tokens) => total + of(tokens), 0);
  return {
    input_tokens: sum(({ input, cacheRead, cacheCreation }) => input + cacheRead + cacheCreation),
    cached_input_tokens: sum(({ cacheRead }) => cacheRead),
    output_tokens: sum(({ output }) => output),
    reasoning_tokens: sum(({ reasoning }) => reasoning),
  };
}

/** `subtype` is `success` also after a model call that failed: then `is_error` is true. */
function readResult(result: JsonObject): RuntimeEvent {
  const { subtype, is_error, structured_output: output } = result;
  const text = textOf(result.result);
  if (subtype === 'success' && is_error === false) {
    return { type: 'success', text, ...(output !== undefined && { output }) };
  }
  if (textOf(result.terminal_reason).startsWith('aborted'))
    return failure('no_result', 'The turn was interrupted', true);
  const errors = Array.isArray(result.errors) ? result.errors.map(textOf) : [];
  return readError(result, text || errors.join('\n') || `Claude Code ended with ${textOf(subtype)}`);
}

function readError({ subtype, stop_reason, api_error_status: status }: JsonObject, message: string): Failure {
  if (subtype === 'error_max_turns') return failure('max_turns', message, false);
  if (subtype === 'error_max_budget_usd') return failure('budget_exceeded', message, false);
  if (subtype === 'error_max_structured_output_retries') return failure('output_invalid', message, true);
  if (LOST_SESSION.test(message)) return failure('session_lost', message, false);
  if (stop_reason === 'refusal') return failure('refused', message, false);
  // The key proxy says so.
  if (message.includes('max_cost')) return failure('budget_exceeded', message, false);
  if (status === 401 || status === 403 || /credit balance/i.test(message))
    return failure('auth_failed', message, false);
  if (status === 429 || status === 529) return failure('rate_limited', message, true);
  const isPermanent = typeof status === 'number' && status >= 400 && status < 500;
  return failure('no_result', message, !isPermanent);
}
