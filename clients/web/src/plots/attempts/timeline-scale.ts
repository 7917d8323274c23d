import type { TimelineRow } from './attempt-rows.ts';

/** In percent of the width. */
export interface Place {
  left: number;
  width: number;
}

export interface PlacedRow extends TimelineRow {
  place: Place;
  gapPlace: Place | undefined;
}

export interface TimelineScale {
  rows: PlacedRow[];
  /** Waiting takes less of the width than of the time. */
  isShortened: boolean;
}

/** The most that waiting may take of the width: hours of it would leave no room for attempts of seconds. */
const MAX_IDLE_SHARE = 0.6;
const MIN_SHARE = 0.008;

export function placeRows(rows: readonly TimelineRow[]): TimelineScale {
  const idle = sum(rows.map(({ gap, attempt, span }) => length(gap) + (attempt ? 0 : length(span))));
  const busy = sum(rows.map(({ attempt, span }) => (attempt ? length(span) : 0)));
  const mostIdle = (busy * MAX_IDLE_SHARE) / (1 - MAX_IDLE_SHARE);
  const shrink = busy > 0 && idle > mostIdle ? mostIdle / idle : 1;
  const least = (busy + idle * shrink) * MIN_SHARE;
  const weights = rows.map(({ gap, attempt, span }) => ({
    gap: gap ? Math.max(least, length(gap) * shrink) : 0,
    span: Math.max(least, length(span) * (attempt ? 1 : shrink)),
  }));
  const total = sum(weights.map(({ gap, span }) => gap + span)) || 1;
  let at = 0;
  const next = (weight: number): Place => {
    const place = { left: (at / total) * 100, width: (weight / total) * 100 };
    at += weight;
    return place;
  };
  const placed = rows.map((row, index) => {
    const { gap = 0, span = 0 } = weights[index] ?? {};
    return { ...row, gapPlace: row.gap && next(gap), place: next(span) };
  });
  return { rows: placed, isShortened: shrink < 1 };
}

function length(span: { from: number; to: number } | undefined): number {
  return span ? Math.max(0, span.to - span.from) : 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
