import { countOf, detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import { planOf, type RuntimeEvent, type RuntimeJob } from '../runtime.ts';
import { toolName } from './permissions.ts';

const MAX_TEXT = 1024 * 1024;
/** Tools that are remembered, so that each begins once. */
const MAX_CALLS = 10_000;

export type UpdateReader = ReturnType<typeof createUpdateReader>;

/** Reads the updates of one prompt. */
export function createUpdateReader({ model, session }: Pick<RuntimeJob, 'model' | 'session'>) {
  const calls = new Set<string>();
  const used = { usage: null, cost: null, model: model ?? null } as Extract<RuntimeEvent, { type: 'used' }>['used'];
  /** What the agent said since its last tool, and the last that it said before one. */
  let text = '';
  let before = '';
  let message: unknown;

  function* read(update: JsonObject): Generator<RuntimeEvent> {
    const { sessionUpdate: type } = update;
    if (type === 'agent_message_chunk') yield* readText(update);
    else if (type === 'tool_call' || type === 'tool_call_update') yield* readTool(update);
    else if (type === 'plan') yield planOf(objectsOf(update.entries), ({ status }) => status === 'completed');
    else if (type === 'notice') yield { type: 'notice', text: detailOf(update, ['title', 'description']) };
    else if (type === 'usage_update') yield* readCost(objectOf(update.cost));
  }

  function* readText({ content, messageId }: JsonObject): Generator<RuntimeEvent> {
    const piece = textOf(objectOf(content).text);
    if (piece === '') return;
    const isNext = message !== undefined && messageId !== message && text !== '';
    message = messageId;
    const added = isNext ? `\n\n${piece}` : piece;
    text = (text + added).slice(0, MAX_TEXT);
    yield { type: 'text', text: added };
  }

  /** A tool begins with its call, or where the agent first asked for a permission, with an update. */
  function* readTool(update: JsonObject): Generator<RuntimeEvent> {
    const id = textOf(update.toolCallId);
    const isNamed = textOf(update.title) !== '' || textOf(update.name) !== '';
    if (calls.has(id) || calls.size >= MAX_CALLS || !isNamed) return;
    // opencode's first update has the tool's name, the next one its command.
    if (update.status === 'pending' && update.sessionUpdate === 'tool_call' && textOf(update.title) === 'bash') return;
    calls.add(id);
    if (text !== '') before = text;
    text = '';
    yield { type: 'tool', name: toolName(update), detail: detailOf(update, ['title', 'name']) };
  }

  /** Of the whole session, so that it says nothing about this attempt of a continued one. */
  function* readCost({ amount, currency }: JsonObject): Generator<RuntimeEvent> {
    if (session !== undefined || typeof amount !== 'number' || !(amount >= 0) || currency !== 'USD') return;
    used.cost = { amount, currency, estimated: true };
    yield { type: 'used', used: { ...used } };
  }

  /** The draft's `usage`, and what Gemini CLI has in its place; of this prompt. */
  function* readEnd(response: JsonObject): Generator<RuntimeEvent> {
    const quota = objectOf(objectOf(response._meta).quota);
    const usage = toUsage(objectOf(response.usage)) ?? toQuotaUsage(objectOf(quota.token_count));
    const seen = textOf(objectsOf(quota.model_usage)[0]?.model);
    if (usage === undefined) return;
    used.usage = usage;
    used.model ??= seen || null;
    yield { type: 'used', used: { ...used } };
  }

  return { read, readEnd, finalText: () => (text || before).trim() };
}

/** Agents count cached and reasoning tokens beside the others or among them: the total tells. */
function toUsage(usage: JsonObject) {
  if (typeof usage.inputTokens !== 'number') return undefined;
  const [input, output] = [countOf(usage.inputTokens), countOf(usage.outputTokens)];
  const [reasoning, read, written] = [usage.thoughtTokens, usage.cachedReadTokens, usage.cachedWriteTokens].map(
    countOf,
  );
  const isAmong = countOf(usage.totalTokens) <= input + output;
  return {
    input_tokens: isAmong ? input : input + (read ?? 0) + (written ?? 0),
    cached_input_tokens: read ?? 0,
    output_tokens: isAmong ? output : output + (reasoning ?? 0),
    reasoning_tokens: reasoning ?? 0,
  };
}

function toQuotaUsage({ input_tokens, output_tokens }: JsonObject) {
  if (typeof input_tokens !== 'number') return undefined;
  return {
    input_tokens: countOf(input_tokens),
    cached_input_tokens: 0,
    output_tokens: countOf(output_tokens),
    reasoning_tokens: 0,
  };
}
