import type { Usage } from '../../task.ts';
import { countOf, detailOf, type JsonObject, objectOf, textOf } from '../json.ts';
import type { RuntimeEvent, RuntimeJob } from '../runtime.ts';
import { entry, planOf } from '../session/entries.ts';
import { toolName } from './permissions.ts';
import { readToolResult } from './tool-results.ts';

const MAX_TEXT = 1024 * 1024;
/** Tools that are remembered, so that each begins once. */
const MAX_CALLS = 10_000;

/** Reads the updates of the prompts of a session. */
export class UpdateReader {
  readonly #job: Pick<RuntimeJob, 'model' | 'session'>;
  readonly #ownWords: RegExp | undefined;
  readonly #calls = new Set<string>();
  readonly #used: Extract<RuntimeEvent, { type: 'used' }>['used'];
  /** What the agent said and thought since its last tool, and the last that it said before one. */
  #text = '';
  #before = '';
  #thoughts = '';
  #message: unknown;
  /** The last of the agent's own words, if the model has said nothing since. */
  lastOwnWords: string | undefined;

  /** @param ownWords matches what the agent says by itself */
  constructor(job: Pick<RuntimeJob, 'model' | 'session'>, ownWords: RegExp | undefined) {
    this.#job = job;
    this.#ownWords = ownWords;
    this.#used = { usage: null, cost: null, model: job.model ?? null };
  }

  get finalText(): string {
    return this.#before.trim();
  }

  *read(update: JsonObject): Generator<RuntimeEvent> {
    const { sessionUpdate: type } = update;
    if (type === 'agent_message_chunk') yield* this.#readText(update);
    else if (type === 'agent_thought_chunk') this.#thoughts = (this.#thoughts + chunkOf(update)).slice(0, MAX_TEXT);
    else if (type === 'tool_call' || type === 'tool_call_update') yield* this.#readTool(update);
    else if (type === 'plan') yield planOf(update.entries, 'content');
    else if (type === 'notice') yield { type: 'notice', text: detailOf(update, ['title', 'description']) };
    else if (type === 'usage_update') yield* this.#readCost(objectOf(update.cost));
  }

  *#readText(update: JsonObject): Generator<RuntimeEvent> {
    const piece = chunkOf(update);
    if (piece === '') return;
    if (this.#ownWords?.test(piece)) {
      this.lastOwnWords = piece.trim();
      yield { type: 'notice', text: this.lastOwnWords };
      return;
    }
    this.lastOwnWords = undefined;
    yield* this.#endThoughts();
    const isNext = this.#message !== undefined && update.messageId !== this.#message;
    this.#message = update.messageId;
    if (isNext) yield* this.#endText();
    this.#text = (this.#text + piece).slice(0, MAX_TEXT);
    yield { type: 'delta', text: piece };
  }

  *#endThoughts(): Generator<RuntimeEvent> {
    if (this.#thoughts.trim() !== '') yield entry({ type: 'thinking', data: { text: this.#thoughts } });
    this.#thoughts = '';
  }

  *#endText(): Generator<RuntimeEvent> {
    yield* this.#endThoughts();
    if (this.#text.trim() === '') return;
    this.#before = this.#text;
    this.#text = '';
    yield entry({ type: 'text', data: { markdown: this.#before } });
  }

  /** A tool begins with its call, or where the agent first asked for a permission, with an update. */
  *#readTool(update: JsonObject): Generator<RuntimeEvent> {
    const id = textOf(update.toolCallId);
    const isNamed = textOf(update.title) !== '' || textOf(update.name) !== '';
    // The first update of some has the tool's name, the next one its command.
    const isEarly = update.status === 'pending' && update.sessionUpdate === 'tool_call' && update.title === 'bash';
    if (!this.#calls.has(id) && this.#calls.size < MAX_CALLS && isNamed && !isEarly) {
      this.#calls.add(id);
      yield* this.#endText();
      const input = update.rawInput ?? {};
      // A title may be what the agent says of a command.
      const summary = textOf(objectOf(input).command) || detailOf(update, ['title', 'name']);
      yield entry({ type: 'tool_call', data: { call_id: id, name: toolName(update), input, summary } });
    }
    if (this.#calls.has(id)) yield* readToolResult(id, update);
  }

  /** Of the whole session, so that it says nothing about this attempt of a continued one. */
  *#readCost({ amount, currency }: JsonObject): Generator<RuntimeEvent> {
    if (this.#job.session !== undefined || typeof amount !== 'number' || !(amount >= 0) || currency !== 'USD') return;
    this.#used.cost = { amount, currency, estimated: true };
    yield { type: 'used', used: { ...this.#used } };
  }

  /** The end of a prompt. */
  *readEnd({ usage }: JsonObject): Generator<RuntimeEvent> {
    yield* this.#endText();
    const used = toUsage(objectOf(usage));
    if (used === undefined) return;
    this.#used.usage = used;
    yield { type: 'used', used: { ...this.#used } };
  }
}

const chunkOf = ({ content }: JsonObject) => textOf(objectOf(content).text);

/** Agents count cached and reasoning tokens beside the others or among them: the total tells. */
function toUsage(usage: JsonObject): Usage | undefined {
  if (typeof usage.inputTokens !== 'number') return undefined;
  const [input, output] = [countOf(usage.inputTokens), countOf(usage.outputTokens)];
  const [reasoning, read] = [countOf(usage.thoughtTokens), countOf(usage.cachedReadTokens)];
  const isAmong = countOf(usage.totalTokens) <= input + output;
  return {
    input_tokens: isAmong ? input : input + read + countOf(usage.cachedWriteTokens),
    cached_input_tokens: read,
    output_tokens: isAmong ? output : output + reasoning,
    reasoning_tokens: reasoning,
  };
}
