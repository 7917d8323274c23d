import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import { entry, type RuntimeEvent, type RuntimeJob } from '../runtime.ts';
import { toolName } from './permissions.ts';
import { readToolResult } from './tool-results.ts';
import { toQuotaUsage, toUsage } from './usage.ts';

const MAX_TEXT = 1024 * 1024;
/** Tools that are remembered, so that each begins once. */
const MAX_CALLS = 10_000;
const PLAN_STATES = { in_progress: 'in_progress', completed: 'completed' } as const;

export type UpdateReader = ReturnType<typeof createUpdateReader>;

export interface UpdateOptions {
  /** Matches what the agent says by itself among the words of the model. */
  ownWords?: RegExp;
}

/** Reads the updates of the prompts of a session. */
export function createUpdateReader(job: Pick<RuntimeJob, 'model' | 'session'>, { ownWords }: UpdateOptions = {}) {
  const { model, session } = job;
  const calls = new Set<string>();
  const used = { usage: null, cost: null, model: model ?? null } as Extract<RuntimeEvent, { type: 'used' }>['used'];
  /** What the agent said and thought since its last tool, and the last that it said before one. */
  let text = '';
  let before = '';
  let thoughts = '';
  let message: unknown;
  /** The last of the agent's own words, if the model has said nothing since. */
  let lastOwnWords: string | undefined;

  function* read(update: JsonObject): Generator<RuntimeEvent> {
    const { sessionUpdate: type } = update;
    if (type === 'agent_message_chunk') yield* readText(update);
    else if (type === 'agent_thought_chunk') thoughts = (thoughts + chunkOf(update)).slice(0, MAX_TEXT);
    else if (type === 'tool_call' || type === 'tool_call_update') yield* readTool(update);
    else if (type === 'plan') yield entry({ type: 'plan', data: { items: objectsOf(update.entries).map(toItem) } });
    else if (type === 'notice') yield { type: 'notice', text: detailOf(update, ['title', 'description']) };
    else if (type === 'usage_update') yield* readCost(objectOf(update.cost));
  }

  function* readText(update: JsonObject): Generator<RuntimeEvent> {
    const piece = chunkOf(update);
    if (piece === '') return;
    if (ownWords?.test(piece)) {
      lastOwnWords = piece.trim();
      yield { type: 'notice', text: lastOwnWords };
      return;
    }
    lastOwnWords = undefined;
    yield* endThoughts();
    const isNext = message !== undefined && update.messageId !== message && text !== '';
    message = update.messageId;
    if (isNext) yield* endText();
    text = (text + piece).slice(0, MAX_TEXT);
    yield { type: 'delta', text: piece };
  }

  function* endThoughts(): Generator<RuntimeEvent> {
    if (thoughts.trim() !== '') yield entry({ type: 'thinking', data: { text: thoughts } });
    thoughts = '';
  }

  function* endText(): Generator<RuntimeEvent> {
    yield* endThoughts();
    if (text.trim() === '') return;
    before = text;
    text = '';
    yield entry({ type: 'text', data: { markdown: before } });
  }

  /** A tool begins with its call, or where the agent first asked for a permission, with an update. */
  function* readTool(update: JsonObject): Generator<RuntimeEvent> {
    const id = textOf(update.toolCallId);
    const isNamed = textOf(update.title) !== '' || textOf(update.name) !== '';
    // The first update of some has the tool's name, the next one its command.
    const isEarly = update.status === 'pending' && update.sessionUpdate === 'tool_call' && update.title === 'bash';
    if (!calls.has(id) && calls.size < MAX_CALLS && isNamed && !isEarly) {
      calls.add(id);
      yield* endText();
      const input = update.rawInput ?? {};
      // A title may be what the agent says of a command.
      const summary = textOf(objectOf(input).command) || detailOf(update, ['title', 'name']);
      yield entry({ type: 'tool_call', data: { call_id: id, name: toolName(update), input, summary } });
    }
    if (calls.has(id)) yield* readToolResult(id, update);
  }

  /** Of the whole session, so that it says nothing about this attempt of a continued one. */
  function* readCost({ amount, currency }: JsonObject): Generator<RuntimeEvent> {
    if (session !== undefined || typeof amount !== 'number' || !(amount >= 0) || currency !== 'USD') return;
    used.cost = { amount, currency, estimated: true };
    yield { type: 'used', used: { ...used } };
  }

  /** The end of a prompt: the draft's `usage`, and what Gemini CLI has in its place. */
  function* readEnd(response: JsonObject): Generator<RuntimeEvent> {
    yield* endText();
    const quota = objectOf(objectOf(response._meta).quota);
    const usage = toUsage(objectOf(response.usage)) ?? toQuotaUsage(objectOf(quota.token_count));
    const seen = textOf(objectsOf(quota.model_usage)[0]?.model);
    if (usage === undefined) return;
    used.usage = usage;
    used.model ??= seen || null;
    yield { type: 'used', used: { ...used } };
  }

  return { read, readEnd, finalText: () => before.trim(), lastOwnWords: () => lastOwnWords };
}

const chunkOf = ({ content }: JsonObject) => textOf(objectOf(content).text);

function toItem({ content, status }: JsonObject) {
  const state = PLAN_STATES[status as keyof typeof PLAN_STATES] ?? 'pending';
  return { text: textOf(content), state } as const;
}
