const DAY_MS = 86_400_000;
/** Enough time to rotate a key, or to make another one. */
const SOON_MS = 14 * DAY_MS;
const MAX_DAYS = 366;

type ExpiryState = 'never' | 'expired' | 'soon' | 'later';

export function expiryState(expiresAt: string | null, now: number): ExpiryState {
  if (expiresAt === null) return 'never';
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0) return 'expired';
  return leftMs <= SOON_MS ? 'soon' : 'later';
}

/** How long a new key may be valid, in days. */
export const LIFETIMES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '180', label: 'In 180 days' },
  { value: String(MAX_DAYS), label: 'In 366 days, the longest' },
  { value: 'date', label: 'On a day that I choose' },
] as const;

export type Lifetime = (typeof LIFETIMES)[number]['value'];

/** The end of a key: `day` as in `2026-12-31`, which is its last one, in the zone of the reader. */
export function toExpiry(lifetime: string, day: string, now: number): string {
  if (lifetime !== 'date') return new Date(now + Number(lifetime) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59`);
  if (Number.isNaN(end.getTime())) throw new Error('Choose the last day of the key.');
  if (end.getTime() <= now) throw new Error('The last day of the key is in the past.');
  if (end.getTime() > now + MAX_DAYS * DAY_MS) throw new Error('A key is valid for at most 366 days.');
  return end.toISOString();
}
