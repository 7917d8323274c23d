import { type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import type { RuntimeEvent } from '../runtime.ts';
import { entry, linesOf, replacedOf } from '../session/entries.ts';

/** The result of a tool that has ended, and the edits that it has made. */
export function* readToolResult(callId: string, update: JsonObject): Generator<RuntimeEvent> {
  if (update.status !== 'completed' && update.status !== 'failed') return;
  const raw = objectOf(update.rawOutput);
  const exitCode = exitCodeOf(raw);
  const data = { call_id: callId, is_error: update.status === 'failed', output: outputOf(update, raw) };
  yield entry({ type: 'tool_result', data: { ...data, ...(exitCode !== undefined && { exit_code: exitCode }) } });
  if (update.status === 'failed') return;
  for (const { type, path, oldText, newText } of objectsOf(update.content)) {
    if (type === 'diff') yield toEdit(textOf(path), linesOf(textOf(oldText)), linesOf(textOf(newText)));
  }
}

/** As Copilot and opencode tell it. */
function exitCodeOf(raw: JsonObject): number | undefined {
  const codes = [objectOf(raw.metadata).exit, raw.exitCode, ...objectsOf(raw.contents).map(({ exitCode }) => exitCode)];
  return codes.find((code) => typeof code === 'number');
}

function outputOf({ content }: JsonObject, raw: JsonObject): string {
  const said = textOf(raw.output) || textOf(raw.content);
  if (said !== '') return said;
  const texts = objectsOf(content).map((part) => textOf(objectOf(part.content).text));
  return texts.filter((text) => text !== '').join('\n');
}

/** One hunk from the first line that differs to the last. */
function toEdit(path: string, before: string[], after: string[]): RuntimeEvent {
  let begin = 0;
  while (begin < before.length && begin < after.length && before[begin] === after[begin]) begin++;
  let same = 0;
  const most = Math.min(before.length, after.length) - begin;
  while (same < most && before.at(-1 - same) === after.at(-1 - same)) same++;
  const changed = (lines: string[]) => lines.slice(begin, lines.length - same);
  return replacedOf(path, changed(before), changed(after), begin);
}
