import type { LogEntry } from '@agent-fleet/sdk';
import type { Line } from '../../output/output.ts';
import { safeJson, safeLine } from '../../output/safe-text.ts';
import { markdownLines } from '../../output/words.ts';
import { tookText } from '../tasks/render.ts';

/** Lines of an output that are shown; of a failed tool more. */
const FOLDED = 3;
const FOLDED_FAILED = 20;
const STATES: Record<string, string> = { completed: '[x]', in_progress: '[>]' };

type Data = Record<string, unknown>;

/** An entry of the log as people read it. What an agent wrote is indented, and looks like no line of `fleet`. */
export function entryLines(entry: LogEntry): Line[] {
  const data: Data = entry.data ?? {};
  const get = (name: string) => textOf(data[name]);
  switch (entry.type) {
    case 'text':
      return ['', ...indented(markdownLines(get('markdown') || entry.text))];
    case 'thinking':
      return folded(get('text'), FOLDED).map((text) => ({ style: 'gray', text }));
    case 'tool_call':
      return [{ style: 'bold', text: `> ${safeLine(get('name'))}`, rest: `  ${safeLine(get('summary'))}` }];
    case 'tool_result':
      return resultLines(data);
    case 'file_edit':
      return [`± ${safeLine(get('path'))}  +${get('added') || '?'} -${get('removed') || '?'}`];
    case 'plan':
      return listOf(data.items).map(
        (item) => `  ${STATES[textOf(item.state)] ?? '[ ]'} ${safeLine(textOf(item.text))}`,
      );
    case 'usage':
      return [{ style: 'gray', text: safeLine(`Used  ${safeJson(data)}`) }];
    case 'message':
      return [{ style: 'cyan', text: `${safeLine(senderOf(entry))} says` }, ...indented(get('text').split('\n'))];
    case 'input':
      return [{ style: 'gray', text: `An input request is ${safeLine(get('state'))}` }];
    case 'session':
      return [{ style: 'gray', text: safeLine(['Session', get('runtime'), get('model'), get('id')].join('  ')) }];
    default:
      return [logLine(entry)];
  }
}

export function logLine({ at, level, stream, text }: Pick<LogEntry, 'at' | 'level' | 'stream' | 'text'>): string {
  const head = safeLine(`${at}  ${level.padEnd(5)}  ${(stream ?? '').padEnd(6)}  `);
  // Later lines are indented, so that no text looks like another entry.
  return head + text.replace(/\n(?!$)/g, `\n${' '.repeat(head.length)}`).trimEnd();
}

/** A failed tool is red, and shows more of its output. */
function resultLines(data: Data): Line[] {
  const isError = data.is_error === true;
  const code = data.exit_code === undefined ? '' : `exit code ${textOf(data.exit_code)}`;
  const took = typeof data.duration_ms === 'number' ? tookText(data.duration_ms) : '';
  const head = safeLine([isError ? 'failed' : 'ok', code, took].filter(Boolean).join(', '));
  return [
    isError ? { style: 'red', text: `  ${head}` } : { style: 'gray', text: `  ${head}` },
    ...folded(textOf(data.output), isError ? FOLDED_FAILED : FOLDED),
    ...(data.truncated === true ? [`    (cut; ${textOf(data.bytes)} bytes in all)`] : []),
  ];
}

/** The first lines of a text, and how many there are more. */
function folded(text: string, count: number): string[] {
  const lines = text.trimEnd() === '' ? [] : text.trimEnd().split(/\r?\n/);
  const shown = lines.slice(0, count).map((line) => `    ${line}`);
  const more = lines.length - count;
  return more > 0 ? [...shown, `    … ${more} more line${more === 1 ? '' : 's'}`] : shown;
}

function indented(lines: readonly Line[]): Line[] {
  return lines.map((line) => (typeof line === 'string' ? `  ${line}` : { ...line, text: `  ${line.text}` }));
}

function senderOf({ data }: LogEntry): string {
  return textOf((data?.by as { name?: unknown } | null)?.name) || 'Somebody';
}

/** Workers choose the fields: any value has a text. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : safeJson(value);
}

function listOf(value: unknown): Data[] {
  return Array.isArray(value) ? value.filter((item): item is Data => typeof item === 'object' && item !== null) : [];
}
