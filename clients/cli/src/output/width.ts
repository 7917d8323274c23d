import stringWidth from 'fast-string-width';

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
