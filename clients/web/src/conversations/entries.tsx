import type { LogEntry } from '@agent-fleet/sdk';
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import type { InputRequest } from '../frame/open-requests.ts';
import type { Attempt } from '../plots/attempt-rows.ts';
import type { Tone } from '../text/statuses.ts';
import { clockTime } from '../text/times.ts';
import { entryContent, type Message, type Related } from './entry.tsx';
import './entries.css';

interface EntriesProps {
  entries: readonly LogEntry[];
  /** What entries refer to. */
  requests?: readonly InputRequest[] | undefined;
  messages?: readonly Message[] | undefined;
  /** The oldest first. */
  attempts?: readonly Attempt[];
  /** Whether the task has ended: no result comes any more. */
  isEnded: boolean;
}

/** The entries of a transcript; a result stands in its call, a request where it was opened. */
export function Entries({ entries, requests = [], messages = [], attempts = [], isEnded }: EntriesProps) {
  const related = useMemo(() => {
    const results = entries.filter(({ type }) => type === 'tool_result');
    const found = [...requests, ...messages].map((one) => [one.id, one] as const);
    return new Map<unknown, Related>([...found, ...results.map((one) => [one.data?.call_id, one] as const)]);
  }, [entries, requests, messages]);
  const begun = useMemo(() => toBegun(entries, attempts), [entries, attempts]);
  const shown = new Set<unknown>();
  return (
    <>
      {entries.map((entry) => {
        const { type, data } = entry;
        const id = data?.call_id ?? data?.request_id ?? data?.id;
        const isRepeated = (type === 'tool_result' || type === 'input') && shown.has(id);
        if (type === 'tool_call' || type === 'input') shown.add(id);
        const attempt = begun.get(entry.id);
        return (
          <Fragment key={entry.id}>
            {attempt && <p class="attempt-mark small muted">Attempt {attempt}</p>}
            {!isRepeated && type !== 'usage' && <Entry entry={entry} related={related.get(id)} isEnded={isEnded} />}
          </Fragment>
        );
      })}
    </>
  );
}

/** The numbers of all attempts but the first, by the entry with which they begin. */
function toBegun(entries: readonly LogEntry[], attempts: readonly Attempt[]): Map<number | undefined, number> {
  const later = attempts.slice(1);
  return new Map(later.map(({ number, started_at }) => [entries.find(({ at }) => at >= started_at)?.id, number]));
}

const TONES: Partial<Record<LogEntry['level'], Tone>> = { warn: 'warn', error: 'error' };

/** Few elements for a line of a program: hundreds come and go in a second. */
function Entry({ entry, related, isEnded }: { entry: LogEntry; related: Related; isEnded: boolean }) {
  const { id, at, level, stream, type } = entry;
  const content = useMemo(() => entryContent(entry, related, isEnded), [entry, related, isEnded]);
  const isLine = type === 'log';
  return (
    <div id={`log-${id}`} class={isLine ? 'log-line' : 'entry'} data-tone={TONES[level]} data-entry={id}>
      <a class="log-time quiet-link" href={`#log-${id}`} tabIndex={-1} data-at={at}>
        {preciseTime(at)}
      </a>
      {isLine && (
        <span class="log-source">
          {level} <span class="log-stream">{stream}</span>
        </span>
      )}
      <div class={isLine ? 'log-text' : undefined}>{content}</div>
    </div>
  );
}

/** `19:23:04.512`, in the zone of the reader. */
function preciseTime(iso: string): string {
  const time = new Date(iso);
  return `${clockTime(time)}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
