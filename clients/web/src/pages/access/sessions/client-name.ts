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
