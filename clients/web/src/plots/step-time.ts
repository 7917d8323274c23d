import { clockTime, dayAndMonth, hoursAndMinutes } from '../text/local-time.ts';

const DAY_SECONDS = 86_400;

/** Ticks of the time axis, in local time: the hour, at midnight the day. */
export function timeTicks(seconds: readonly number[]): string[] {
  return seconds.map((time) => {
    const date = new Date(time * 1_000);
    return date.getHours() === 0 && date.getMinutes() === 0 ? dayAndMonth(date) : hoursAndMinutes(date);
  });
}

/** When a step was, in local time, with the day if the steps are of more than one: `24 Nov, 14:05–14:10`. */
export function stepText(times: readonly number[], first: number, last = first): string {
  const step = stepSeconds(times);
  const [from = 0, to = 0] = [times[first], times[last]];
  const until = to + step;
  const [start, end] = [new Date(from * 1_000), new Date(until * 1_000)];
  const day = spansDays(times) ? `${dayAndMonth(start)}, ` : '';
  if (step % DAY_SECONDS === 0 && first === last) return dayAndMonth(start);
  return `${day}${hoursAndMinutes(start)}${until - from > 60 ? `–${hoursAndMinutes(end)}` : ''}`;
}

export function stepSeconds([first = 0, second = first + 60]: readonly number[]): number {
  return second - first;
}

function spansDays(times: readonly number[]): boolean {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return new Date(first * 1_000).toDateString() !== new Date(last * 1_000).toDateString();
}

/** A local time, to the second: `24 Nov, 14:05:09`. */
export function momentText(ms: number): string {
  const time = new Date(ms);
  return `${dayAndMonth(time)}, ${clockTime(time)}`;
}
