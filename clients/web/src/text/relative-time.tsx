import { relativeTime } from '@agent-fleet/sdk/words';
import { useComputed, useSignal } from '@preact/signals';
import { currentTime } from './clock.ts';
import { safeLine } from './safe-text.ts';
import { absoluteTime } from './times.ts';

interface RelativeTimeProps {
  at: string | null;
  /** In the place of a time that is null. */
  never?: string;
}

/** `12 s ago`, kept up to date. */
export function RelativeTime({ at, never = 'never' }: RelativeTimeProps) {
  return at === null ? <span class="muted">{never}</span> : <PastOrFuture at={at} />;
}

/** Its title, which is made when somebody points at it, is the exact time. */
function PastOrFuture({ at }: { at: string }) {
  const time = useSignal(at);
  time.value = at;
  const text = useComputed(() => safeLine(relativeTime(time.value, currentTime())));
  return (
    <time
      dateTime={at}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = absoluteTime(at);
      }}
    >
      {text}
    </time>
  );
}
