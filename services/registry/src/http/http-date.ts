const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TIME = '(?<time>(?:[01]\\d|2[0-3]):[0-5]\\d:(?:[0-5]\\d|60))';
const SHORT_DAY = '(?<day>[A-Z][a-z]{2})';
const MONTH = '(?<month>[A-Z][a-z]{2})';

/** The preferred form and the two obsolete ones: `Sun, 06 Nov 1994 …`, `Sunday, 06-Nov-94 …`, `Sun Nov  6 …`. */
const FORMS = [
  new RegExp(`^${SHORT_DAY}, (?<date>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^(?<day>[A-Z][a-z]{5,8}), (?<date>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${SHORT_DAY} ${MONTH} (?<date>\\d\\d| \\d) ${TIME} (?<year>\\d{4})$`),
];

const AHEAD_YEARS = 50;

/** Parses an HTTP-date in any of its three forms (RFC 9110 section 5.6.7) to milliseconds; undefined when invalid. */
export function parseHttpDate(text: string, now = new Date()): number | undefined {
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return toTime(parts, now);
  }
  return undefined;
}

/** Undefined for a date that does not exist or has a wrong day of the week. */
function toTime({ day = '', date, month = '', year = '', time = '' }: Record<string, string>, now: Date) {
  const fullYear = year.length === 2 ? toFullYear(Number(year), now.getUTCFullYear()) : Number(year);
  const midnight = new Date(Date.UTC(fullYear, MONTHS.indexOf(month), Number(date)));
  const isDay =
    midnight.getUTCFullYear() === fullYear &&
    MONTHS[midnight.getUTCMonth()] === month &&
    midnight.getUTCDate() === Number(date);
  const name = DAYS[midnight.getUTCDay()] as string;
  if (!isDay || day !== (year.length === 2 ? name : name.slice(0, 3))) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

/** A two-digit year more than fifty years ahead is in the past. */
function toFullYear(twoDigits: number, thisYear: number): number {
  const year = thisYear - (thisYear % 100) + twoDigits;
  return year > thisYear + AHEAD_YEARS ? year - 100 : year;
}
