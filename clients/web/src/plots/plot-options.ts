import type uPlot from 'uplot';
import type { PlotColor, PlotData, PlotSeries } from './plot-data.ts';
import { INCREMENTS, shortValueText, stepSeconds, timeTicks, topOf } from './plot-values.ts';

type Token = PlotColor | 'line' | 'line-strong' | 'surface';

/** @param share Opacity in percent */
type ReadColor = (token: Token, share?: number) => string;

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

/** The cursors of all plots of a page move together. */
const SYNC_KEY = 'page';
/** In seconds: labels have no seconds. */
const TIME_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * 3_600),
];
/** Of the width of a step. */
const BAR_SHARE = 0.7;
const POINT_PX = 5;
const LEFT_AXIS_PX = 52;
const BOTTOM_AXIS_PX = 26;
const EMPTY_WINDOW_SECONDS = 3_600;

interface PlotSetting {
  /** What is shown now; shape and unit never change. */
  data: () => PlotData;
  color: () => ReadColor;
  font: string;
  onCursor: (plot: uPlot) => void;
}

export function plotOptions({ paths }: typeof uPlot, setting: PlotSetting): Omit<uPlot.Options, 'width' | 'height'> {
  const { unit, series } = setting.data();
  return {
    series: [{}, ...series.map((one) => seriesOptions(paths, one, setting.color))],
    scales: {
      x: { range: () => timeRange(setting.data().times) },
      y: { range: (_plot, _min, max) => [0, topOf(max ?? 0, unit)] },
    },
    axes: [timeAxis(setting), valueAxis(setting)],
    padding: [8, 16, 0, 0],
    legend: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    cursor: cursorOptions(setting.color),
    hooks: { setCursor: [setting.onCursor], draw: [(plot) => fadePartialStep(plot, setting)] },
  };
}

function seriesOptions(paths: typeof uPlot.paths, { kind, color }: PlotSeries, read: () => ReadColor): uPlot.Series {
  const stroke = () => read()(color);
  if (kind === 'bars') {
    const bars = paths.bars?.({ size: [BAR_SHARE, 18, 1], radius: 0.2 });
    return { width: 0, stroke, fill: () => read()(color, 85), paths: bars, points: { show: false } };
  }
  return {
    width: 1.75,
    stroke,
    fill: kind === 'area' ? () => read()(color, 12) : undefined,
    points: { size: POINT_PX, fill: stroke, filter: (plot, index) => lonePoints(plot.data[index] ?? []) },
  };
}

/** A value between two gaps has no line. */
function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return Array.from(values, (_, index) => index).filter((i) => !isGap(i) && isGap(i - 1) && isGap(i + 1));
}

/** With room for half a bar at both ends. */
function timeRange(times: readonly number[]): uPlot.Range.MinMax {
  const now = Date.now() / 1_000;
  const [first, last, half] = [times[0], times.at(-1), stepSeconds(times) / 2];
  return first === undefined || last === undefined ? [now - EMPTY_WINDOW_SECONDS, now] : [first - half, last + half];
}

function timeAxis({ color, font }: PlotSetting): uPlot.Axis {
  return {
    font,
    size: BOTTOM_AXIS_PX,
    gap: 6,
    space: 64,
    incrs: TIME_STEPS,
    stroke: () => color()('muted'),
    values: (_plot, seconds) => timeTicks(seconds),
    grid: { show: false },
    ticks: { show: false },
    border: { show: true, width: 1, stroke: () => color()('line') },
  };
}

function valueAxis({ data, color, font }: PlotSetting): uPlot.Axis {
  const { unit } = data();
  return {
    font,
    size: LEFT_AXIS_PX,
    gap: 8,
    space: 20,
    stroke: () => color()('muted'),
    incrs: INCREMENTS[unit],
    values: (_plot, values) => values.map((value) => shortValueText(value, unit)),
    grid: { width: 1, stroke: () => color()('line', 70) },
    ticks: { show: false },
  };
}

function cursorOptions(color: () => ReadColor): uPlot.Cursor {
  return {
    y: false,
    move: snapToStep,
    drag: { x: false, y: false, setScale: false },
    bind: { dblclick: () => null },
    sync: { key: SYNC_KEY, scales: ['x', null] },
    points: { size: 8, width: 2, stroke: () => color()('surface') },
  };
}

function snapToStep(plot: uPlot, left: number, top: number): uPlot.Cursor.LeftTop {
  const time = left < 0 ? undefined : plot.data[0][plot.posToIdx(left)];
  return time === undefined ? [left, top] : [plot.valToPos(time, 'x'), top];
}

function fadePartialStep(plot: uPlot, { data, color }: PlotSetting): void {
  const { times, series, isPartial } = data();
  const last = times.at(-1);
  if (!isPartial || last === undefined || times.length < 2) return;
  const hasBars = series.some(({ kind }) => kind === 'bars');
  const { left, top, width, height } = plot.bbox;
  const steps = hasBars ? 1 - BAR_SHARE / 2 : 1;
  const start = plot.valToPos(last - stepSeconds(times) * steps, 'x', true);
  const from = Math.min(start, plot.valToPos(last, 'x', true) - POINT_PX * devicePixelRatio);
  plot.ctx.fillStyle = color()('surface', 45);
  plot.ctx.fillRect(from, top, left + width - from, height);
}
