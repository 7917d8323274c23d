import { useComputed, useSignal } from '@preact/signals';
import { currentTime } from './clock.ts';
import { absoluteTime, relativeTime } from './times.ts';

/** `12 s ago`, kept up to date, with the exact time as its title. */
export function RelativeTime({ at }: { at: string }) {
  const time = useSignal(at);
  time.value = at;
  const text = useComputed(() => relativeTime(time.value, currentTime()));
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {text}
    </time>
  );
}
