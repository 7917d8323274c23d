import type { components } from '@agent-fleet/sdk';

export type Session = components['schemas']['Session'];

/** How long a browser's session lasts at most. */
const LIFE_MS = 7 * 86_400_000;

/** Whether it is the one that ends at `expiresAt`, which is what is known of the session of this page. */
export function isThisSession({ kind, created_at }: Session, expiresAt: string | null | undefined): boolean {
  return kind === 'browser' && !!expiresAt && Date.parse(created_at) + LIFE_MS === Date.parse(expiresAt);
}

/** This session first, then the one that was used last. */
export function sortSessions(sessions: readonly Session[], expiresAt: string | null | undefined): Session[] {
  const rank = (one: Session) =>
    isThisSession(one, expiresAt) ? Number.POSITIVE_INFINITY : Date.parse(one.last_used_at);
  return sessions.toSorted((a, b) => (rank(b) > rank(a) ? 1 : -1));
}

const BROWSERS: readonly [name: string, version: RegExp][] = [
  ['Edge', /\bEdgA?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+).*\bSafari\//],
];
const SYSTEMS: readonly [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];
const MAX_PRODUCT_CHARACTERS = 40;

/** A user agent in a few words: `Firefox 145 on Linux`, `curl/8.14`. */
export function clientName(userAgent: string): string {
  const browser = BROWSERS.flatMap(([name, version]) => {
    const found = version.exec(userAgent);
    return found ? [`${name} ${found[1]}`] : [];
  })[0];
  if (browser === undefined) return productOf(userAgent);
  const system = SYSTEMS.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system ? `${browser} on ${system}` : browser;
}

function productOf(userAgent: string): string {
  const [product = ''] = userAgent.trim().split(/\s/);
  return product.slice(0, MAX_PRODUCT_CHARACTERS) || 'Unknown client';
}
