const DAY_SECONDS = 86_400;

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

/** Ticks of the time axis, in local time: the hour, at midnight the day. */
export function timeTicks(seconds: readonly number[]): string[] {
  return seconds.map((time) => {
    const date = new Date(time * 1_000);
    return date.getHours() === 0 && date.getMinutes() === 0 ? DAY.format(date) : CLOCK.format(date);
  });
}

/** When a step was, in local time, with the day if the steps are of more than one: `24 Nov, 14:05–14:10`. */
export function stepText(times: readonly number[], first: number, last = first): string {
  const step = stepSeconds(times);
  const [from = 0, to = 0] = [times[first], times[last]];
  const until = to + step;
  const [start, end] = [new Date(from * 1_000), new Date(until * 1_000)];
  const day = spansDays(times) ? `${DAY.format(start)}, ` : '';
  if (step % DAY_SECONDS === 0 && first === last) return DAY.format(start);
  return `${day}${CLOCK.format(start)}${until - from > 60 ? `–${CLOCK.format(end)}` : ''}`;
}

export function stepSeconds([first = 0, second = first + 60]: readonly number[]): number {
  return second - first;
}

function spansDays(times: readonly number[]): boolean {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return new Date(first * 1_000).toDateString() !== new Date(last * 1_000).toDateString();
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** A local time, to the second: `24 Nov, 14:05:09`. */
export function momentText(ms: number): string {
  return MOMENT.format(ms);
}
