import { countOf, detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import { entry, nameIn, type RuntimeEvent } from '../runtime.ts';

const DETAILS = ['command', 'query', 'path', 'prompt'];
/** Not the agent's doing, or told otherwise. */
const SILENT = new Set(['userMessage', 'hookPrompt', 'plan', 'contextCompaction', 'functionCallOutput']);
const STATES: Readonly<Record<string, 'in_progress' | 'completed'>> = {
  inProgress: 'in_progress',
  completed: 'completed',
};

/** Turns the items of Codex's turns into entries of a transcript. */
export class CodexItems {
  readonly #workspace: string;
  /** Tools that run, with their changes of files. */
  readonly #open = new Map<string, JsonObject[]>();
  lastMessage = '';
  /** A refusal of the model is no item. */
  isIdle = true;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  *started(item: JsonObject): Generator<RuntimeEvent> {
    const { id, type } = item;
    if (SILENT.has(textOf(type)) || type === 'agentMessage' || type === 'reasoning') return;
    this.isIdle = false;
    const changes = objectsOf(item.changes);
    this.#open.set(textOf(id), changes);
    const { name, input } = toCall(item);
    const summary = changes.length > 0 ? this.#pathsOf(changes) : detailOf(input, DETAILS);
    yield entry({ type: 'tool_call', data: { call_id: textOf(id), name, input, summary } });
  }

  *completed(item: JsonObject): Generator<RuntimeEvent> {
    const { type } = item;
    if (type === 'agentMessage') {
      this.isIdle = false;
      this.lastMessage = textOf(item.text);
      if (this.lastMessage !== '') yield entry({ type: 'text', data: { markdown: this.lastMessage } });
    } else if (type === 'reasoning') {
      const text = textsOf(item.summary) || textsOf(item.content);
      if (text !== '') yield entry({ type: 'thinking', data: { text } });
    } else if (!SILENT.has(textOf(type))) yield* this.#toResult(item);
  }

  *#toResult(item: JsonObject): Generator<RuntimeEvent> {
    const call = textOf(item.id);
    if (!this.#open.has(call)) yield* this.started(item);
    this.#open.delete(call);
    const isError = item.status === 'failed' || item.status === 'declined';
    const result = {
      call_id: call,
      is_error: isError,
      ...(typeof item.exitCode === 'number' && { exit_code: item.exitCode }),
      ...(typeof item.durationMs === 'number' && { duration_ms: countOf(item.durationMs) }),
      output: toOutput(item),
    };
    yield entry({ type: 'tool_result', data: result });
    if (item.type !== 'fileChange' || isError) return;
    for (const change of objectsOf(item.changes)) yield entry({ type: 'file_edit', data: this.#toEdit(change) });
  }

  /** What still runs when the turn ends: Codex says nothing more of it. */
  *close(): Generator<RuntimeEvent> {
    for (const call_id of this.#open.keys()) {
      yield entry({ type: 'tool_result', data: { call_id, is_error: true, output: 'Interrupted' } });
    }
    this.#open.clear();
  }

  /** The changes of files that a call is about to make. */
  changesOf = (call: string): readonly JsonObject[] => this.#open.get(call) ?? [];

  #pathsOf = (changes: readonly JsonObject[]) => changes.map(({ path }) => this.#nameOf(path)).join(', ');

  #nameOf = (path: unknown) => nameIn(this.#workspace, textOf(path));

  /** A new or deleted file comes as its text. */
  #toEdit({ path, kind, diff: given }: JsonObject) {
    const { type } = objectOf(kind);
    const mark = type === 'add' ? '+' : type === 'delete' ? '-' : '';
    const lines = textOf(given).trimEnd().split('\n');
    const marked = mark === '' ? lines : lines.map((line) => mark + line);
    const count = (start: string) => marked.filter((line) => line.startsWith(start)).length;
    return { path: this.#nameOf(path), added: count('+'), removed: count('-'), diff: marked.join('\n') };
  }
}

/** The agent's own list. */
export function planOf(steps: unknown): RuntimeEvent {
  const items = objectsOf(steps).map(({ step, status }) => ({
    text: textOf(step),
    state: STATES[textOf(status)] ?? ('pending' as const),
  }));
  return entry({ type: 'plan', data: { items } });
}

const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(textOf).join('\n\n') : '');

function toCall(item: JsonObject): { name: string; input: JsonObject } {
  const { type, id: _id, status: _status, startedAtMs: _started, completedAtMs: _completed, ...more } = item;
  if (type === 'commandExecution') return { name: 'shell', input: { command: item.command, cwd: item.cwd } };
  if (type === 'fileChange') return { name: 'apply_patch', input: { changes: item.changes } };
  return { name: textOf(type), input: more };
}

const toOutput = ({ aggregatedOutput, status }: JsonObject) =>
  status === 'declined' ? 'Denied' : textOf(aggregatedOutput);
