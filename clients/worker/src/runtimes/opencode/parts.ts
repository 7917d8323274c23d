import { countOf, detailOf, type JsonObject, objectOf, textOf } from '../json.ts';
import { nameIn, type RuntimeEvent } from '../runtime.ts';
import { editOf, entry, linesOf, planOf, replacedOf } from '../session/entries.ts';

const DETAILS = ['command', 'filePath', 'path', 'pattern', 'query', 'url', 'description'];
/** Told otherwise: as a question, and as a plan. */
const SILENT = new Set(['question', 'todowrite']);
const DENIED = /rejected permission|rule which prevents/;
const DIFF_HEAD = /^(?:Index: .*\n=+\n)?---.*\n\+\+\+.*\n/;

/** Turns the parts of opencode's messages into entries of a transcript; a part comes again with each change. */
export class OpencodeParts {
  readonly #workspace: string;
  /** Tools that run, by their part, with the length of their output so far. */
  readonly #open = new Map<string, { call: string; length: number }>();
  /** Parts of which no more is told. */
  readonly #told = new Set<string>();
  readonly #texts = new Set<string>();
  lastText = '';

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  *read(part: JsonObject): Generator<RuntimeEvent> {
    const [id, type] = [textOf(part.id), textOf(part.type)];
    if (this.#told.has(id)) return;
    if (type === 'tool') yield* this.#readTool(id, part);
    else if (type === 'text' || type === 'reasoning') yield* this.#readText(id, type, part);
  }

  *readDelta({ partID, field, delta }: JsonObject): Generator<RuntimeEvent> {
    if (field === 'text' && this.#texts.has(textOf(partID))) yield { type: 'delta', text: textOf(delta) };
  }

  /** The turn has ended: what still runs is told no more. */
  close(): void {
    for (const id of this.#open.keys()) this.#told.add(id);
    this.#open.clear();
  }

  *#readText(id: string, type: 'text' | 'reasoning', { text: given, time }: JsonObject): Generator<RuntimeEvent> {
    const text = textOf(given);
    if (type === 'text') this.#texts.add(id);
    if (objectOf(time).end === undefined || text === '') return;
    this.#told.add(id);
    if (type === 'reasoning') yield entry({ type: 'thinking', data: { text } });
    else {
      this.lastText = text;
      yield entry({ type: 'text', data: { markdown: text } });
    }
  }

  *#readTool(id: string, { tool, callID, state: given }: JsonObject): Generator<RuntimeEvent> {
    const state = objectOf(given);
    const [name, call, input] = [textOf(tool), textOf(callID), objectOf(state.input)];
    const isOver = state.status === 'completed' || state.status === 'error';
    if (state.status === 'pending') return;
    if (isOver) this.#told.add(id);
    if (name === 'todowrite' && isOver) yield planOf(input.todos, 'content');
    if (SILENT.has(name)) return;
    if (!this.#open.has(id)) {
      this.#open.set(id, { call, length: 0 });
      const summary = detailOf(input, DETAILS);
      yield entry({ type: 'tool_call', data: { call_id: call, name, input, summary } });
    }
    if (isOver) {
      this.#open.delete(id);
      yield* this.#readResult(name, call, state);
    } else yield* this.#readOutput(id, textOf(objectOf(state.metadata).output));
  }

  *#readResult(name: string, call: string, state: JsonObject): Generator<RuntimeEvent> {
    const { exit, filediff } = objectOf(state.metadata);
    const { start, end } = objectOf(state.time);
    const error = textOf(state.error);
    const result = {
      call_id: call,
      is_error: state.status === 'error' || (typeof exit === 'number' && exit !== 0),
      ...(typeof exit === 'number' && { exit_code: exit }),
      ...(typeof start === 'number' && typeof end === 'number' && { duration_ms: countOf(end - start) }),
      output: textOf(state.output) || error,
    };
    yield entry({ type: 'tool_result', data: result });
    if (DENIED.test(error)) yield { type: 'denied', tool: name, detail: detailOf(objectOf(state.input), DETAILS) };
    const { file, patch } = objectOf(filediff);
    const { filePath, content } = objectOf(state.input);
    if (filediff !== undefined) yield editOf(this.#nameOf(file), textOf(patch).replace(DIFF_HEAD, '').split('\n'));
    else if (name === 'write' && state.status === 'completed') {
      yield replacedOf(this.#nameOf(filePath), [], linesOf(textOf(content)));
    }
  }

  *#readOutput(id: string, output: string): Generator<RuntimeEvent> {
    const tool = this.#open.get(id);
    if (tool === undefined || output.length <= tool.length) return;
    yield { type: 'delta', text: output.slice(tool.length), callId: tool.call };
    tool.length = output.length;
  }

  #nameOf = (path: unknown) => nameIn(this.#workspace, textOf(path));
}
