import { useState } from 'preact/hooks';
import type { PlotData } from './plot-data.ts';
import { toPlotTable } from './table-rows.ts';

/** The values for those who do not see the plot, or want to read or copy them. */
export function PlotTable({ title, data }: { title: string; data: PlotData }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="plot-details" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && <Rows title={title} data={data} />}
    </details>
  );
}

function Rows({ title, data }: { title: string; data: PlotData }) {
  const { note, rows } = toPlotTable(data);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reachable by keyboard
    <section class="plot-table" aria-label={`${title} as table`} tabIndex={0}>
      <table>
        {note && <caption>{note}</caption>}
        <thead>
          <tr>
            <th scope="col">Time</th>
            {data.series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, values }) => (
            <tr key={time}>
              <th scope="row">{time}</th>
              {values.map((value, index) => (
                <td key={data.series[index]?.label}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
