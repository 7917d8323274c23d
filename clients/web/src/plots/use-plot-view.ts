import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { loadUPlot } from './load-uplot.ts';
import type { PlotData } from './plot-data.ts';
import { createPlotView, type PlotCursor, type PlotView } from './plot-view.ts';

export interface PlotState {
  /** Gets the canvas. */
  host: RefObject<HTMLDivElement | null>;
  status: 'loading' | 'ready' | 'failed';
  cursor: PlotCursor | null;
  moveTo: (index: number | null) => void;
}

/** One canvas for as long as series and unit stay the same; new values are drawn into it. */
export function usePlotView(data: PlotData): PlotState {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<PlotView | null>(null);
  const latest = useRef(data);
  latest.current = data;
  const [status, setStatus] = useState<PlotState['status']>('loading');
  const [cursor, setCursor] = useState<PlotCursor | null>(null);
  const shape = JSON.stringify([data.unit, data.series.map(({ kind, color }) => [kind, color])]);

  // Another shape needs another canvas.
  useEffect(() => {
    let isWanted = true;
    loadUPlot().then(
      (uPlot) => {
        if (!isWanted || !host.current) return;
        view.current = createPlotView(uPlot, host.current, latest.current, (next) =>
          setCursor((now) => (now?.index === next?.index && now?.left === next?.left ? now : next)),
        );
        setStatus('ready');
      },
      () => isWanted && setStatus('failed'),
    );
    return () => {
      isWanted = false;
      view.current?.destroy();
      view.current = null;
      setCursor(null);
    };
  }, [shape]);

  useEffect(() => view.current?.setData(data), [data.times, data.series, data.isPartial]);

  return { host, status, cursor, moveTo: (index) => view.current?.moveTo(index) };
}
