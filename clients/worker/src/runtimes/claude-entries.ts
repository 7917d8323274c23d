import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import type { RuntimeEvent } from './runtime.ts';
import { editOf, entry, linesOf, planOf, replacedOf } from './session/entries.ts';

export const DETAILS = ['command', 'file_path', 'notebook_path', 'pattern', 'skill', 'url', 'query', 'description'];
/** Their input is the output, the question, or the plan. */
const SILENT_TOOLS = new Set(['StructuredOutput', 'AskUserQuestion', 'TodoWrite']);
const EXIT_CODE = /^(?:Error: )?Exit code (\d+)(?:\n|$)/;
/** Calls that are remembered until their results. */
const MAX_CALLS = 1_000;

/** Makes entries of the messages of Claude Code and of its tools. */
export function createClaudeEntries() {
  /** Names of the tools that run, by their calls. */
  const calls = new Map<string, string>();

  function* readAssistant({ message }: JsonObject): Generator<RuntimeEvent> {
    for (const part of objectsOf(objectOf(message).content)) {
      const [text, thinking] = [textOf(part.text), textOf(part.thinking)];
      if (part.type === 'text' && text !== '') yield entry({ type: 'text', data: { markdown: text } });
      if (part.type === 'thinking' && thinking !== '') yield entry({ type: 'thinking', data: { text: thinking } });
      if (part.type === 'tool_use') yield* readCall(part);
    }
  }

  function* readCall({ id, name, input: given }: JsonObject): Generator<RuntimeEvent> {
    const [tool, callId, input] = [textOf(name), textOf(id), objectOf(given)];
    if (tool === 'TodoWrite') yield planOf(input.todos, 'content');
    if (SILENT_TOOLS.has(tool) || calls.size >= MAX_CALLS) return;
    calls.set(callId, tool);
    yield entry({ type: 'tool_call', data: { call_id: callId, name: tool, input, summary: detailOf(input, DETAILS) } });
  }

  function* readResults({ message, tool_use_result: told }: JsonObject): Generator<RuntimeEvent> {
    for (const part of objectsOf(objectOf(message).content)) {
      const callId = textOf(part.tool_use_id);
      const name = calls.get(callId);
      if (part.type !== 'tool_result' || name === undefined) continue;
      calls.delete(callId);
      const output = outputOf(part.content);
      const exitCode = exitCodeOf(name, part.is_error === true, output);
      yield entry({
        type: 'tool_result',
        data: {
          call_id: callId,
          is_error: part.is_error === true,
          ...(exitCode !== undefined && { exit_code: exitCode }),
          output: output.replace(EXIT_CODE, ''),
        },
      });
      yield* readEdit(objectOf(told));
    }
  }

  /** Remembers a call that is not in a message of this process. */
  function begin(callId: string, name: string | undefined): void {
    if (name !== undefined && !calls.has(callId)) calls.set(callId, name);
  }

  return { readAssistant, readResults, begin };
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
  const linesIn = (hunk: JsonObject) => (Array.isArray(hunk.lines) ? hunk.lines.map(textOf) : []);
  if (hunks.length === 0) yield replacedOf(path, [], linesOf(textOf(content)));
  else
    yield editOf(
      path,
      hunks.flatMap((hunk) => [headOf(hunk), ...linesIn(hunk)]),
    );
}

const headOf = ({ oldStart, oldLines, newStart, newLines }: JsonObject) =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
