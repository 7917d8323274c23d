import type { LogOptions } from '../options.ts';
import type { Redactor } from '../redaction.ts';
import type { TranscriptEntry } from '../runtimes/runtime.ts';

/** Limits of the fleet for the data of an entry, as UTF-8 JSON, less what is around the text. */
const MAX_BYTES = 15 * 1024;
const MAX_INPUT_BYTES = 60 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024;
const GAP = '\n[…]\n';
const MAX_SUMMARY = 500;
const MAX_NAME = 200;
const MAX_ITEMS = 50;
const MAX_ITEM = 200;
/** Calls whose results are still to come. */
const MAX_CALLS = 1_000;

type Entry = Required<Pick<LogOptions, 'type' | 'data'>>;

/** Makes the entries of a log of what a runtime tells: redacted, within the limits, each call with a result. */
export function createTranscript({ json }: Pick<Redactor, 'json'>) {
  /** When each call began that has no result. */
  const calls = new Map<string, number>();

  function toEntry(told: TranscriptEntry): Entry {
    const entry = json(told) as TranscriptEntry;
    const { type, data } = entry;
    if (type === 'text') return { type, data: cutField(data, 'markdown', MAX_BYTES) };
    if (type === 'thinking') return { type, data: cutField(data, 'text', MAX_BYTES) };
    if (type === 'file_edit') return { type, data: cutField(data, 'diff', MAX_OUTPUT_BYTES) };
    if (type === 'plan') return { type, data: { items: data.items.slice(0, MAX_ITEMS).map(cutItem) } };
    if (type === 'tool_result') return { type, data: toResult(data) };
    if (calls.size < MAX_CALLS) calls.set(data.call_id, performance.now());
    const call = { ...data, name: data.name.slice(0, MAX_NAME), summary: data.summary.slice(0, MAX_SUMMARY) };
    return { type, data: cutInput(call) };
  }

  function toResult(data: Extract<TranscriptEntry, { type: 'tool_result' }>['data']) {
    const began = calls.get(data.call_id);
    calls.delete(data.call_id);
    const bytes = Buffer.byteLength(data.output);
    const result = {
      ...data,
      duration_ms: data.duration_ms ?? (began === undefined ? null : Math.round(performance.now() - began)),
      output: headAndTail(data.output, bytes),
      bytes,
      truncated: bytes > MAX_OUTPUT_BYTES,
    };
    return cutField(result, 'output', MAX_BYTES);
  }

  return {
    toEntry,
    /** Results of the calls that have none, when their turn has ended. */
    close: (): Entry[] =>
      [...calls.keys()].map((callId) => ({
        type: 'tool_result',
        data: toResult({ call_id: callId, is_error: true, output: 'Interrupted' }),
      })),
  };
}

/** With the bytes that JSON adds. */
const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The field as much as fits, in whole characters. */
function cutField<Data extends object>(data: Data, name: keyof Data & string, maxBytes: number) {
  let text = String(data[name]);
  let size = sizeOf(text);
  if (size <= maxBytes) return data;
  for (; size > maxBytes; size = sizeOf(text)) {
    text = text.slice(0, Math.floor((text.length * maxBytes) / size)).toWellFormed();
  }
  return { ...data, [name]: text, truncated: true };
}

function cutInput<Data extends { input: unknown }>(data: Data) {
  if (sizeOf(data.input) <= MAX_INPUT_BYTES) return data;
  return cutField({ ...data, input: JSON.stringify(data.input) }, 'input', MAX_INPUT_BYTES);
}

const cutItem = <Item extends { text: string }>(item: Item) => ({ ...item, text: item.text.slice(0, MAX_ITEM) });

/** What a command says first and last is what people look for. */
function headAndTail(text: string, bytes: number): string {
  if (bytes <= MAX_OUTPUT_BYTES) return text;
  const half = MAX_OUTPUT_BYTES / 2 - GAP.length;
  const buffer = Buffer.from(text);
  const [head, tail] = [buffer.subarray(0, half), buffer.subarray(-half)].map((part) => part.toString());
  return `${head?.replace(/\uFFFD+$/, '')}${GAP}${tail?.replace(/^\uFFFD+/, '')}`;
}
