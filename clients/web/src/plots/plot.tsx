import { Panel } from '../components/panel.tsx';
import { isEmptyPlot, type PlotData } from './plot-data.ts';
import { PlotLegend } from './plot-legend.tsx';
import { PlotPreview } from './plot-preview.tsx';
import { indexAfterKey, readoutSentence, toReadout } from './plot-readout.ts';
import { PlotTable } from './plot-table.tsx';
import { PlotTip } from './plot-tip.tsx';
import { type PlotState, usePlotView } from './use-plot-view.ts';

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
  const role = isReady ? sliderProps(title, data, view) : {};
  return (
    <Panel title={title} actions={<PlotLegend series={data.series} isLoading={data.isLoading} />}>
      <div class="plot-area" style={{ height: `${height}px` }} {...role}>
        <div class="plot-canvas" ref={view.host} />
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

/** A slider over the steps: screen readers pass the arrow keys on, and say each new value. */
function sliderProps(title: string, data: PlotData, { cursor, moveTo }: PlotState) {
  const last = data.times.length - 1;
  const index = Math.min(cursor?.index ?? last, last);
  return {
    role: 'slider' as const,
    tabIndex: 0,
    'aria-label': `${title} over time`,
    'aria-valuemin': 0,
    'aria-valuemax': last,
    'aria-valuenow': index,
    'aria-valuetext': readoutSentence(toReadout(data, index)),
    onFocus: (event: FocusEvent) => (event.currentTarget as Element).matches(':focus-visible') && moveTo(index),
    onBlur: () => moveTo(null),
    onKeyDown: (event: KeyboardEvent) => {
      const next = indexAfterKey(event.key, cursor?.index ?? null, data.times.length);
      if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      moveTo(next);
    },
  };
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
