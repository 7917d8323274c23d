import type { PlotData, PlotSeries } from './plot-data.ts';
import { valueSplits } from './value-splits.ts';

const WIDTH = 1_000;
const HEIGHT = 100;

/** The series alone, in the place where the canvas will draw them, while the script for it is on its way. */
export function PlotPreview({ series, times, unit }: PlotData) {
  const values = series.flatMap((one) => one.values.map((value) => value ?? 0));
  const top = valueSplits(Math.max(0, ...values), unit).at(-1) ?? 1;
  return (
    <svg class="plot-preview" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {series.map((one) => (
        <path key={one.label} d={pathOf(one, times.length, top)} style={{ stroke: `var(--color-${one.color})` }} />
      ))}
    </svg>
  );
}

function pathOf({ values, kind }: PlotSeries, steps: number, top: number): string {
  let isDrawn = false;
  const points = values.map((value, index) => {
    if (value === null || (kind === 'bars' && value === 0)) {
      isDrawn = false;
      return '';
    }
    const [x, y] = [Math.round(((index + 0.5) / steps) * WIDTH), (1 - value / top) * HEIGHT];
    const start = kind === 'bars' ? `M${x} ${HEIGHT}V` : `${isDrawn ? 'L' : 'M'}${x} `;
    isDrawn = true;
    return `${start}${y.toFixed(1)}`;
  });
  return points.join('');
}
