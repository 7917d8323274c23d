import type { PlotData } from './plot-data.ts';
import { Swatch } from './plot-legend.tsx';
import { toReadout } from './plot-readout.ts';
import type { PlotCursor } from './plot-view.ts';

/** The values under the cursor, on the side where there is more room. */
export function PlotTip({ data, cursor: { index, left } }: { data: PlotData; cursor: PlotCursor }) {
  const { time, values } = toReadout(data, index);
  const side = index > data.times.length / 2 ? 'left' : 'right';
  return (
    <div class="plot-tip" data-side={side} style={{ insetInlineStart: `${left}px` }}>
      <p>{time}</p>
      {values.map(({ label, text }, position) => {
        const series = data.series[position];
        return (
          <p key={label}>
            {series && <Swatch series={series} />}
            <span>{label}</span>
            <b>{text}</b>
          </p>
        );
      })}
    </div>
  );
}
