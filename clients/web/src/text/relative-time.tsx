import { relativeTime } from '@agent-fleet/sdk/words';
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { currentTime } from './clock.ts';
import { safeLine } from './safe-text.ts';
import { absoluteTime, duration } from './times.ts';

interface RelativeTimeProps {
  at: string | null;
  /** In the place of a time that is null. */
  never?: string;
}

/** `12 s ago`, kept up to date. */
export function RelativeTime({ at, never = 'never' }: RelativeTimeProps) {
  return at === null ? <span class="muted">{never}</span> : <PastOrFuture at={at} />;
}

/** `850 ms later`, after another time. */
export function LaterTime({ at, after }: { at: string; after: string }) {
  return <Clock at={at}>{duration(Math.max(0, Date.parse(at) - Date.parse(after)))} later</Clock>;
}

function PastOrFuture({ at }: { at: string }) {
  const time = useSignal(at);
  time.value = at;
  const text = useComputed(() => safeLine(relativeTime(time.value, currentTime())));
  return <Clock at={at}>{text}</Clock>;
}

/** Its title, which is made when somebody points at it, is the exact time. */
export function Clock({ at, children }: { at: string; children: ComponentChildren }) {
  return (
    <time
      dateTime={at}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = absoluteTime(at);
      }}
    >
      {children}
    </time>
  );
}
