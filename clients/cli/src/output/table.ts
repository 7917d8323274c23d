import stringWidth from 'fast-string-width';
import { safeLine } from './safe-text.ts';

const GAP = '  ';
/** A column is not cut below this width. */
const MIN_WIDTH = 8;
/** Of any cell, also where lines have no width. */
const MAX_CHARACTERS = 1_000;

export interface Column<Row> {
  title: string;
  value(row: Row): string | number | null | undefined;
  /** Numbers stand right. */
  isNumber?: boolean;
  /** Ids are never cut: they are copied. */
  isWhole?: boolean;
}

/** Lays out rows below their titles. With a width, columns are cut, or left out from the right, until the lines fit. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width?: number,
  paint = (_title: string, cell: string) => cell,
): string[] {
  const cells = rows.map((row) =>
    columns.map((column) => safeLine(String(column.value(row) ?? '').slice(0, MAX_CHARACTERS))),
  );
  const lines = [columns.map(({ title }) => title), ...cells];
  const natural = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] as string))));
  const widths = width === undefined ? natural : fit(natural, columns, width);
  return lines.map((line) =>
    widths
      .map((one, at) => paint(columns[at]?.title ?? '', toWidth(line[at] as string, one, columns[at]?.isNumber)))
      .join(GAP)
      .trimEnd(),
  );
}

/** The widths of the columns that remain; the first one always does. */
function fit(natural: readonly number[], columns: readonly { isWhole?: boolean }[], width: number): number[] {
  const least = natural.map((one, at) => (columns[at]?.isWhole ? one : Math.min(one, MIN_WIDTH)));
  let count = least.length;
  while (count > 1 && sumOf(least.slice(0, count)) > width) count--;
  const widths = natural.slice(0, count);
  for (let over = sumOf(widths) - width; over > 0; over--) {
    let widest = -1;
    widths.forEach((one, at) => {
      if (one > (least[at] as number) && (widest < 0 || one > (widths[widest] as number))) widest = at;
    });
    if (widest < 0) break;
    widths[widest] = (widths[widest] as number) - 1;
  }
  return widths;
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one + GAP.length, -GAP.length);
}

/** Pairs of a name and a value, one a line; the second and later lines of a value are indented. */
export function fields(pairs: readonly (readonly [string, string | number | null | undefined])[]): string[] {
  const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => {
    const lines = String(value).split('\n').map(safeLine);
    return `${name.padEnd(width)}  ${lines.join(`\n${' '.repeat(width + 2)}`)}`;
  });
}

const ELLIPSIS = '…';
const segmenter = new Intl.Segmenter();

/** The number of columns of a terminal that a text takes: two for wide characters (Unicode TR 11). */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** Pads a text to a width, or cuts it there. */
export function toWidth(text: string, width: number, atEnd = false): string {
  const cut = widthOf(text) > width ? `${head(text, width - 1)}${ELLIPSIS}` : text;
  const padding = ' '.repeat(Math.max(0, width - widthOf(cut)));
  return atEnd ? padding + cut : cut + padding;
}

function head(text: string, width: number): string {
  let kept = '';
  let left = width;
  for (const { segment } of segmenter.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return kept;
}
