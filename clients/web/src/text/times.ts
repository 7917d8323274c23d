import { TIME_UNITS } from '@agent-fleet/sdk/words';
import { safeLine } from './safe-text.ts';

/** Made when they are needed: that takes 10 ms. */
const formats: { absolute?: Intl.DateTimeFormat; zone?: Intl.DateTimeFormat } = {};

/** `25 Nov 2026, 19:23:04 CET`: in the zone of the reader, which it names. */
export function absoluteTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return safeLine(iso);
  formats.absolute ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
  formats.zone ??= new Intl.DateTimeFormat('en-GB', { timeZoneName: 'short' });
  const zone = formats.zone.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value;
  return zone ? `${formats.absolute.format(time)} ${zone}` : formats.absolute.format(time);
}

/** `850 ms`, `1.2 s`, `3 min 4 s`, `2 d 5 h`: at most two units. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (Math.abs(ms) < 999.5) return `${Math.round(ms)} ms`;
  if (Math.abs(ms) < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  return twoUnits(Math.round(ms / 1000));
}

function twoUnits(seconds: number): string {
  const sign = seconds < 0 ? '-' : '';
  let rest = Math.abs(seconds);
  const index = Math.max(
    TIME_UNITS.findIndex(([, size]) => rest >= size),
    0,
  );
  const parts = TIME_UNITS.slice(index, index + 2).flatMap(([unit, size]) => {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    return amount > 0 ? [`${amount} ${unit}`] : [];
  });
  return sign + parts.join(' ');
}

// Not by `Intl`: its first format of a date takes 12 ms, on a telephone 50.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14:05`, in the zone of the reader. */
export function hoursAndMinutes(time: Date): string {
  return `${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** `14:05:09` */
export function clockTime(time: Date): string {
  return `${hoursAndMinutes(time)}:${pad(time.getSeconds())}`;
}

/** `24 Nov` */
export function dayAndMonth(time: Date): string {
  return `${time.getDate()} ${MONTHS[time.getMonth()]}`;
}

/** For `<input type="datetime-local">`, which has the local time without a zone. */
export function toLocalInput(iso: string | null | undefined): string {
  const time = new Date(iso ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return '';
  const date = `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
  return `${date}T${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

export function fromLocalInput(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}
