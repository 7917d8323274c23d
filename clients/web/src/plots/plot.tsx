import { Fold, Panel } from '../components/panel.tsx';
import { type Column, Table } from '../components/table.tsx';
import { isEmptyPlot, type PlotData, type PlotSeries, readoutSentence, toReadout } from './plot-data.ts';
import { topOf } from './plot-values.ts';
import { type PlotCursor, type PlotState, usePlotView } from './plot-view.ts';
import 'uplot/dist/uPlot.min.css';
import './plot.css';

interface PlotProps extends PlotData {
  title: string;
  /** Of the canvas, in px. */
  height?: number;
  emptyText?: string;
}

/** Values over time: a canvas with a cursor that mouse, finger and arrow keys move, and the same as a table. */
export function Plot({ title, height = 180, emptyText = 'No tasks in this window', ...data }: PlotProps) {
  const view = usePlotView(data);
  const isEmpty = !data.isLoading && isEmptyPlot(data);
  const isReady = !data.isLoading && !isEmpty && view.status === 'ready';
  return (
    <Panel title={title} actions={<PlotLegend series={data.series} isLoading={data.isLoading} />}>
      <div class="plot-area" style={{ height: `${height}px` }}>
        <div class="plot-canvas" ref={view.host} />
        {isReady && <Steps title={title} data={data} view={view} />}
        {isReady && view.cursor && <PlotTip data={data} cursor={view.cursor} />}
        {!data.isLoading && view.status === 'loading' ? (
          <PlotPreview {...data} />
        ) : (
          <Cover status={data.isLoading ? 'loading' : view.status} emptyText={isEmpty ? emptyText : undefined} />
        )}
      </div>
      <PlotTable title={title} data={data} />
    </Panel>
  );
}

/** A slider over the steps for keyboards: screen readers say each new value. */
function Steps({ title, data, view: { cursor, moveTo } }: { title: string; data: PlotData; view: PlotState }) {
  const last = data.times.length - 1;
  const index = Math.min(cursor?.index ?? last, last);
  return (
    <input
      type="range"
      class="plot-steps"
      aria-label={`${title} over time`}
      aria-valuetext={readoutSentence(toReadout(data, index))}
      max={last}
      value={index}
      onInput={(event) => moveTo(Number(event.currentTarget.value))}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && moveTo(index)}
      onBlur={() => moveTo(null)}
    />
  );
}

function Cover({ status, emptyText }: { status: PlotState['status']; emptyText: string | undefined }) {
  if (status === 'loading') return <div class="plot-skeleton" data-skeleton />;
  const note = status === 'failed' ? 'The plot could not be loaded. The table has the values.' : emptyText;
  return note === undefined ? null : (
    <p class="plot-note">
      <span>{note}</span>
    </p>
  );
}

const WIDTH = 1_000;
const HEIGHT = 100;

/** The series alone, in the place where the canvas will draw them, while the script for it is on its way. */
function PlotPreview({ series, times, unit }: PlotData) {
  const values = series.flatMap((one) => one.values.map((value) => value ?? 0));
  const top = topOf(Math.max(0, ...values), unit);
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

/** Hidden until the values are there: they would move it. */
function PlotLegend({ series, isLoading }: Pick<PlotData, 'series' | 'isLoading'>) {
  return (
    <span class="plot-legend" style={{ visibility: isLoading ? 'hidden' : 'visible' }}>
      {series.map((one) => (
        <span key={one.label}>
          <Swatch series={one} />
          {one.label}
          {one.summary !== undefined && <b>{one.summary}</b>}
        </span>
      ))}
    </span>
  );
}

function Swatch({ series: { kind, color } }: { series: PlotSeries }) {
  return <i class="plot-swatch" data-kind={kind} style={{ color: `var(--color-${color})` }} />;
}

/** The values under the cursor, on the side where there is more room. */
function PlotTip({ data, cursor: { index, left } }: { data: PlotData; cursor: PlotCursor }) {
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

/** The values for those who do not see the plot, or want to read or copy them. */
function PlotTable({ title, data }: { title: string; data: PlotData }) {
  const rows = () => data.times.map((_, index) => toReadout(data, index)).toReversed();
  const columns: Column<ReturnType<typeof toReadout>>[] = [
    { title: 'Time', isMain: true, cell: ({ time }) => time },
    ...data.series.map(({ label }, at) => ({
      title: label,
      isNumber: true,
      cell: ({ values }: ReturnType<typeof toReadout>) => values[at]?.text,
    })),
  ];
  return (
    <Fold class="plot-details" summary="Show as table">
      {() => <Table label={`${title} as table`} columns={columns} rows={rows()} rowKey={({ time }) => time} />}
    </Fold>
  );
}
