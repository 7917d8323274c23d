import { useComputed, useSignal } from '@preact/signals';
import { currentTime } from './clock.ts';
import { absoluteTime, relativeTime } from './times.ts';

/** `12 s ago`, kept up to date. Its title, which is made when somebody points at it, is the exact time. */
export function RelativeTime({ at }: { at: string }) {
  const time = useSignal(at);
  time.value = at;
  const text = useComputed(() => relativeTime(time.value, currentTime()));
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
