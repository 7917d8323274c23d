import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import { entry, type RuntimeEvent } from './runtime.ts';

export const DETAILS = ['command', 'file_path', 'notebook_path', 'pattern', 'skill', 'url', 'query', 'description'];
/** Their input is the output, the question, or the plan. */
const SILENT_TOOLS = new Set(['StructuredOutput', 'AskUserQuestion', 'TodoWrite']);
const EXIT_CODE = /^(?:Error: )?Exit code (\d+)(?:\n|$)/;
const PLAN_STATES = { in_progress: 'in_progress', completed: 'completed' } as const;
/** Calls that are remembered until their results. */
const MAX_CALLS = 1_000;

interface Call {
  name: string;
  at: number;
}

/** Makes entries of the messages of Claude Code and of its tools. */
export function createClaudeEntries() {
  const calls = new Map<string, Call>();

  function* readAssistant({ message, timestamp }: JsonObject): Generator<RuntimeEvent> {
    for (const part of objectsOf(objectOf(message).content)) {
      const [text, thinking] = [textOf(part.text), textOf(part.thinking)];
      if (part.type === 'text' && text !== '') yield entry({ type: 'text', data: { markdown: text } });
      if (part.type === 'thinking' && thinking !== '') yield entry({ type: 'thinking', data: { text: thinking } });
      if (part.type === 'tool_use') yield* readCall(part, timestamp);
    }
  }

  function* readCall({ id, name, input: given }: JsonObject, timestamp: unknown): Generator<RuntimeEvent> {
    const [tool, callId, input] = [textOf(name), textOf(id), objectOf(given)];
    if (tool === 'TodoWrite') yield entry({ type: 'plan', data: { items: objectsOf(input.todos).map(toItem) } });
    if (SILENT_TOOLS.has(tool) || calls.size >= MAX_CALLS) return;
    calls.set(callId, { name: tool, at: Date.parse(textOf(timestamp)) });
    yield entry({ type: 'tool_call', data: { call_id: callId, name: tool, input, summary: detailOf(input, DETAILS) } });
  }

  function* readResults({ message, timestamp, tool_use_result: told }: JsonObject): Generator<RuntimeEvent> {
    for (const part of objectsOf(objectOf(message).content)) {
      const callId = textOf(part.tool_use_id);
      const call = calls.get(callId);
      if (part.type !== 'tool_result' || call === undefined) continue;
      calls.delete(callId);
      const output = outputOf(part.content);
      const duration = Date.parse(textOf(timestamp)) - call.at;
      const exitCode = exitCodeOf(call.name, part.is_error === true, output);
      yield entry({
        type: 'tool_result',
        data: {
          call_id: callId,
          is_error: part.is_error === true,
          ...(exitCode !== undefined && { exit_code: exitCode }),
          ...(duration >= 0 && { duration_ms: duration }),
          output: output.replace(EXIT_CODE, ''),
        },
      });
      yield* readEdit(objectOf(told));
    }
  }

  /** Remembers a call that is not in a message of this process. */
  function begin(callId: string, name: string | undefined): void {
    if (name !== undefined && !calls.has(callId)) calls.set(callId, { name, at: Number.NaN });
  }

  return { readAssistant, readResults, begin };
}

function toItem({ content, status }: JsonObject) {
  const state = PLAN_STATES[status as keyof typeof PLAN_STATES] ?? 'pending';
  return { text: textOf(content), state } as const;
}

/** A text, or parts of which some are images. */
function outputOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsOf(content)
    .map((part) => (part.type === 'text' ? textOf(part.text) : `[${textOf(part.type)}]`))
    .join('\n');
}

/** Only of commands; one that did not run has none. */
function exitCodeOf(tool: string, isError: boolean, output: string): number | undefined {
  if (tool !== 'Bash') return undefined;
  const [, code] = EXIT_CODE.exec(output) ?? [];
  if (code !== undefined) return Number(code);
  return isError ? undefined : 0;
}

/** What the tools that edit tell besides: hunks with their lines, or the whole text of a new file. */
function* readEdit({ filePath, structuredPatch, type, content }: JsonObject): Generator<RuntimeEvent> {
  const path = textOf(filePath);
  const hunks = objectsOf(structuredPatch);
  if (path === '' || (type !== 'create' && hunks.length === 0)) return;
  const created = textOf(content).replace(/\n$/, '').split('\n');
  const lines =
    hunks.length > 0
      ? hunks.flatMap((hunk) => [headOf(hunk), ...(Array.isArray(hunk.lines) ? hunk.lines.map(textOf) : [])])
      : [`@@ -0,0 +1,${created.length} @@`, ...created.map((line) => `+${line}`)];
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  const data = { path, added: count('+'), removed: count('-'), diff: lines.join('\n') };
  yield entry({ type: 'file_edit', data });
}

const headOf = ({ oldStart, oldLines, newStart, newLines }: JsonObject) =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
