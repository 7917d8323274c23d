import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { isEmptyPlot, type PlotData } from './plot-data.ts';
import { createColorReader, plotOptions } from './plot-options.ts';

let loading: Promise<typeof uPlot> | undefined;

/** A chunk of its own. A failure is not kept: the next plot tries anew. */
export function loadUPlot(): Promise<typeof uPlot> {
  loading ??= import('uplot').then((module) => module.default);
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

export interface PlotCursor {
  /** Of the step under the cursor. */
  index: number;
  /** Of the step, in px from the left edge of the plot. */
  left: number;
}

interface PlotView {
  setData(data: PlotData): void;
  /** Moves the cursors of the page; null hides them. */
  moveTo(index: number | null): void;
  destroy(): void;
}

/** Draws into `host`, which has a size of its own, and follows that size and the colour scheme. */
function createPlotView(
  Plot: typeof uPlot,
  host: HTMLElement,
  first: PlotData,
  onCursor: (cursor: PlotCursor | null) => void,
): PlotView {
  let data = first;
  let color = createColorReader(host);
  /** In seconds. */
  let timeAtCursor: number | undefined;
  const font = `11px ${getComputedStyle(host).fontFamily}`;
  const options = plotOptions(Plot, { data: () => data, color: () => color, font, onCursor: report });
  const plot = new Plot({ ...options, ...sizeOf(host) }, toAligned(data), host);

  function report({ cursor }: uPlot): void {
    const { idx } = cursor;
    timeAtCursor = typeof idx === 'number' ? data.times[idx] : undefined;
    if (typeof idx !== 'number' || timeAtCursor === undefined) onCursor(null);
    else onCursor({ index: idx, left: plot.bbox.left / devicePixelRatio + plot.valToPos(timeAtCursor, 'x') });
  }

  function moveTo(index: number | null, isForAll = true): void {
    const time = index === null ? undefined : data.times[index];
    setCursor(plot, time === undefined ? null : plot.valToPos(time, 'x'), isForAll);
  }

  /** uPlot itself follows the mouse. */
  function followFinger({ pointerType, clientX }: PointerEvent): void {
    if (pointerType !== 'mouse') setCursor(plot, clientX - plot.over.getBoundingClientRect().left);
  }

  plot.over.addEventListener('pointerdown', followFinger);
  plot.over.addEventListener('pointermove', followFinger);
  const resizes = new ResizeObserver(() => {
    const size = sizeOf(host);
    if (size.width > 0 && (size.width !== plot.width || size.height !== plot.height)) plot.setSize(size);
  });
  resizes.observe(host);
  const schemes = matchMedia('(prefers-color-scheme: dark)');
  const repaint = () => {
    color = createColorReader(host);
    plot.redraw();
  };
  schemes.addEventListener('change', repaint);

  return {
    setData(next) {
      const time = timeAtCursor;
      data = next;
      plot.batch(() => plot.setData(toAligned(data)));
      // The cursor stays at its time when the steps move on: what is read does not change.
      if (time !== undefined) moveTo(nearest(data.times, time), false);
    },
    moveTo: (index) => moveTo(index),
    destroy() {
      resizes.disconnect();
      schemes.removeEventListener('change', repaint);
      plot.destroy();
    },
  };
}

/** @param left In px; null hides the cursor */
function setCursor(plot: uPlot, left: number | null, isForAll = true): void {
  type SetCursor = (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;
  const at = left === null ? { left: -10, top: -10 } : { left: Math.max(0, left), top: 0 };
  // The third parameter tells the other plots; the types lack it.
  (plot.setCursor as SetCursor)(at, true, isForAll);
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement): { width: number; height: number } {
  return { width: clientWidth, height: clientHeight };
}

/** Where nothing happened no lines are drawn, not even along the axis. */
function toAligned(data: PlotData): uPlot.AlignedData {
  const isEmpty = isEmptyPlot(data);
  return [[...data.times], ...data.series.map(({ values }) => values.map((value) => (isEmpty ? null : value)))];
}

function nearest(times: readonly number[], time: number): number | null {
  if (times.length === 0) return null;
  const index = times.findIndex((candidate) => candidate >= time);
  return index < 0 ? times.length - 1 : index;
}

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
