import type { LogEntry } from '@agent-fleet/sdk';
import { clockTime } from '../../../text/local-time.ts';
import { LongText } from '../../../text/long-text.tsx';
import { safeText } from '../../../text/safe-text.ts';

const MAX_CHARACTERS = 2_000;

/** Few elements: hundreds of lines a second come and go. */
export function LogLine({ entry: { id, at, level, stream, text } }: { entry: LogEntry }) {
  return (
    <div class={`log-line log-${level}`} data-entry={id}>
      <time class="log-time" dateTime={at}>
        {preciseTime(at)}
      </time>
      <span class="log-source">
        {level} <span class="log-stream">{stream}</span>
      </span>
      <span class="log-text">
        {text.length > MAX_CHARACTERS ? <LongText text={text} maxCharacters={MAX_CHARACTERS} isMono /> : safeText(text)}
      </span>
    </div>
  );
}

/** `19:23:04.512`, in the zone of the reader. */
function preciseTime(iso: string): string {
  const time = new Date(iso);
  return `${clockTime(time)}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}
