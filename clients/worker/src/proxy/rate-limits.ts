import type { IncomingHttpHeaders } from 'node:http';

/** A longer wait is for the task, not for the program that works on it. */
export const MAX_WAIT_MS = 30_000;

/** What says in a body when there is room again: OpenAI's plans, Google's quotas, Anthropic's limits of an account. */
const BODY_TIMES: [RegExp, (found: string, now: number) => number][] = [
  [/"resets_at"\s*:\s*(\d{9,11})\b/, (found) => Number(found) * 1000],
  [/"resets_in_seconds"\s*:\s*(\d+)/, (found, now) => now + Number(found) * 1000],
  [/"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/, (found, now) => now + Number(found) * 1000],
  [/regain access on (\d{4}-\d\d-\d\d(?: at \d\d:\d\d)?)/, (found) => Date.parse(`${found.replace(' at ', 'T')}Z`)],
];
const RESET = /^(?:anthropic-ratelimit|x-ratelimit)-(?:reset-)?(.+?)(?:-reset)?$/;
const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:(\d+)ms)?$/;

/** When a provider that refused a call takes calls again, in milliseconds since 1970; undefined if it does not say. */
export function retryAt(status: number, headers: IncomingHttpHeaders, body: string, now = Date.now()) {
  const fromBody = BODY_TIMES.map(([pattern, toTime]) => {
    const found = pattern.exec(body)?.[1];
    return found === undefined ? Number.NaN : toTime(found, now);
  });
  const limits =
    status === 429 ? Object.entries(headers).map(([name, value]) => resetOf(name, `${value}`, headers, now)) : [];
  const times = [retryAfter(headers['retry-after'], now), ...fromBody, ...limits].filter((time) => time > now);
  return times.length === 0 ? undefined : Math.max(...times);
}

/** Seconds, or a date. */
function retryAfter(value: string | undefined, now: number): number {
  if (value === undefined) return Number.NaN;
  return /^\d+(\.\d+)?$/.test(value) ? now + Number(value) * 1000 : Date.parse(value);
}

/** Of a limit of which nothing remains: Anthropic has a time there, OpenAI a duration such as `6m0s`. */
function resetOf(name: string, value: string, headers: IncomingHttpHeaders, now: number): number {
  const [, limit] = name.includes('reset') ? (RESET.exec(name) ?? []) : [];
  if (limit === undefined) return Number.NaN;
  const remaining = headers[`anthropic-ratelimit-${limit}-remaining`] ?? headers[`x-ratelimit-remaining-${limit}`];
  if (remaining !== '0') return Number.NaN;
  const [found, days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(value) ?? [];
  if (!found) return Date.parse(value);
  return (
    now + (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(ms)
  );
}
