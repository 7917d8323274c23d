import type { LogEntry } from '@agent-fleet/sdk';
import { useMemo } from 'preact/hooks';
import type { InputRequest } from '../frame/open-requests.ts';
import type { Tone } from '../text/statuses.ts';
import { clockTime } from '../text/times.ts';
import { entryContent, type Related } from './entry.tsx';
import './entries.css';

interface EntriesProps {
  entries: readonly LogEntry[];
  /** What entries refer to. */
  requests?: readonly InputRequest[] | undefined;
  /** Whether the task has ended: no result comes any more. */
  isEnded: boolean;
}

/** The entries of a transcript; what came of one stands in it: the result of a call, the delivery of a message. */
export function Entries({ entries, requests = [], isEnded }: EntriesProps) {
  const related = useMemo(() => {
    const outcomes = entries.filter(isOutcome).map((entry) => [idOf(entry), entry] as const);
    return new Map<unknown, Related>([...requests.map((request) => [request.id, request] as const), ...outcomes]);
  }, [entries, requests]);
  const shown = new Set<unknown>();
  return (
    <>
      {entries.map((entry) => {
        const id = idOf(entry);
        const isRepeated = (entry.type === 'input' || isOutcome(entry)) && shown.has(id);
        if (id !== undefined) shown.add(id);
        if (isRepeated || entry.type === 'usage') return null;
        return <Entry key={entry.id} entry={entry} related={related.get(id)} isEnded={isEnded} />;
      })}
    </>
  );
}

/** What the entries of one call, request or message have in common. */
const idOf = ({ type, data }: LogEntry): unknown =>
  data?.call_id ?? data?.request_id ?? (type === 'message' ? data?.id : undefined);

function isOutcome({ type, data }: LogEntry): boolean {
  return type === 'tool_result' || (type === 'message' && data?.text === undefined);
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
