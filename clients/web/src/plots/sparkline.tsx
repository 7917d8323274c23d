import { valueText } from './plot-values.ts';
import { HEIGHT, sparklinePath, sum, WIDTH } from './sparkline-bars.ts';
import './plot.css';

interface SparklineProps {
  /** One for each step, oldest first. */
  values: readonly number[];
  /** What is counted and when: `completed in the last hour`. */
  label: string;
  /** A step, as in "at most 3 a minute". */
  step?: string;
}

/** Counts over time, small enough for a row of a list. */
export function Sparkline({ values, label, step = 'minute' }: SparklineProps) {
  const total = sum(values);
  const most = total > 0 ? `, at most ${valueText(Math.max(...values), 'count')} a ${step}` : '';
  const name = `${total > 0 ? valueText(total, 'count') : 'None'} ${label}${most}`;
  return (
    <svg
      class="sparkline"
      role="img"
      aria-label={name}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    >
      <title>{name}</title>
      <path class="sparkline-base" d={`M0 ${HEIGHT - 0.5}h${WIDTH}`} />
      <path d={sparklinePath(values)} />
    </svg>
  );
}
