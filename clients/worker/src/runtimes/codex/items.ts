import { countOf, detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import { nameIn, type RuntimeEvent } from '../runtime.ts';
import { editOf, entry, linesOf, replacedOf } from '../session/entries.ts';

const DETAILS = ['command', 'query', 'path', 'prompt'];
/** Not the agent's doing, or told otherwise. */
const SILENT = new Set(['userMessage', 'hookPrompt', 'plan', 'contextCompaction', 'functionCallOutput']);

/** Turns the items of Codex's turns into entries of a transcript. */
export class CodexItems {
  readonly #workspace: string;
  /** Tools that run, with the changes of files that they are about to make. */
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
    for (const change of objectsOf(item.changes)) yield this.#toEdit(change);
  }

  changesOf = (call: string): readonly JsonObject[] => this.#open.get(call) ?? [];

  #pathsOf = (changes: readonly JsonObject[]) => changes.map(({ path }) => this.#nameOf(path)).join(', ');

  #nameOf = (path: unknown) => nameIn(this.#workspace, textOf(path));

  /** A new or deleted file comes as its text. */
  #toEdit({ path, kind, diff }: JsonObject): RuntimeEvent {
    const [name, { type }] = [this.#nameOf(path), objectOf(kind)];
    const lines = linesOf(textOf(diff).trimEnd());
    if (type === 'add') return replacedOf(name, [], lines);
    return type === 'delete' ? replacedOf(name, lines, []) : editOf(name, lines);
  }
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
