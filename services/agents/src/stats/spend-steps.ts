/** Lengths of steps, and how many days and months a series of them may cover. */
export const STEPS = {
  hour: { days: 90 },
  day: { days: 400 },
  month: { months: 36 },
} as const satisfies Record<string, Temporal.DurationLike>;

export type Step = keyof typeof STEPS;

export const DAY_MS = 86_400_000;

/** Where steps begin, and at last where the last one ends. */
export interface Edges {
  /** In ms. */
  times: number[];
  /** The days of the calendar, counted from 1970. */
  dates: number[];
}

/** A time in ms, in a time zone. */
export function toZoned(ms: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone);
}

export function isTimeZone(zone: string): boolean {
  try {
    // Offsets such as +01:00 are no time zones of IANA.
    return /^[A-Za-z]/.test(zone) && Boolean(toZoned(0, zone));
  } catch {
    return false;
  }
}

/** The steps of a calendar that have a part of the time from `from` to before `to`. A day may have 23 or 25 hours. */
export function toEdges(from: number, to: number, step: Step, zone: string): Edges {
  const edges: Edges = { times: [], dates: [] };
  let at = beginOf(toZoned(from, zone), step);
  for (;;) {
    edges.times.push(at.epochMilliseconds);
    edges.dates.push(Date.UTC(at.year, at.month - 1, at.day) / DAY_MS);
    if (at.epochMilliseconds >= to) return edges;
    const next = at.add({ [`${step}s`]: 1 });
    const begin = step === 'hour' && next.minute === 0 ? next : beginOf(next, step);
    // Where the clock goes back by half an hour, the hour has begun before.
    at = begin.epochMilliseconds > at.epochMilliseconds ? begin : next;
  }
}

function beginOf(time: Temporal.ZonedDateTime, step: Step): Temporal.ZonedDateTime {
  if (step === 'hour') return time.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  return (step === 'month' ? time.with({ day: 1 }) : time).startOfDay();
}
