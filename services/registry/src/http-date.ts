const TIME = '(\\d\\d:\\d\\d:\\d\\d)';
/** The two obsolete forms: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`. */
const RFC_850 = new RegExp(`^(Sun|Mon|Tue|Wed|Thu|Fri|Sat)([a-z]*day), (\\d\\d)-(\\w{3})-(\\d\\d) ${TIME} GMT$`);
const ASCTIME = new RegExp(`^(\\w{3}) (\\w{3}) ([ \\d]\\d) ${TIME} (\\d{4})$`);
const DAY_ENDS: Record<string, string> = { Tue: 'sday', Wed: 'nesday', Thu: 'rsday', Sat: 'urday' };

const AHEAD_YEARS = 50;

/** Parses an HTTP-date in any of its three forms (RFC 9110 section 5.6.7) to milliseconds; undefined when invalid. */
export function parseHttpDate(text: string, now = new Date()): number | undefined {
  const date = toFixdate(text, now.getUTCFullYear());
  const leapMs = date.endsWith(':60 GMT') ? 1_000 : 0;
  const written = leapMs > 0 ? date.replace(':60 GMT', ':59 GMT') : date;
  const time = Date.parse(written);
  // `Date.parse` alone accepts almost any text.
  return !Number.isNaN(time) && new Date(time).toUTCString() === written ? time + leapMs : undefined;
}

/** The date in the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`. */
function toFixdate(text: string, thisYear: number): string {
  const [, day = '', end, date, month, year, time] = RFC_850.exec(text) ?? [];
  if (end !== undefined && end === (DAY_ENDS[day] ?? 'day')) {
    return `${day}, ${date} ${month} ${toFullYear(Number(year), thisYear)} ${time} GMT`;
  }
  return text.replace(ASCTIME, (_, name, month, date, time, year) => {
    return `${name}, ${date.replace(' ', '0')} ${month} ${year} ${time} GMT`;
  });
}

/** A two-digit year more than fifty years ahead is in the past. */
function toFullYear(twoDigits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + AHEAD_YEARS ? year - 100 : year;
}
