import type { PlotColor } from './plot-data.ts';

type Token = PlotColor | 'line' | 'line-strong' | 'surface';

/** @param share Opacity in percent */
export type ReadColor = (token: Token, share?: number) => string;

/** Reads tokens as a canvas needs them: only a property of an element resolves `light-dark()`. */
export function createColorReader(host: HTMLElement): ReadColor {
  const known = new Map<string, string>();
  return (token, share = 100) => {
    const key = `${token} ${share}`;
    const color = known.get(key) ?? resolve(host, `color-mix(in srgb, var(--color-${token}) ${share}%, transparent)`);
    known.set(key, color);
    return color;
  };
}

function resolve(host: HTMLElement, color: string): string {
  const probe = document.createElement('span');
  probe.hidden = true;
  probe.style.color = color;
  host.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}
