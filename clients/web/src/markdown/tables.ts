import type { AlignType, Table, TableRow } from 'mdast';
import { safeText } from '../text/safe-text.ts';
import { type Content, type Element, element } from './elements.ts';
import { toInlines } from './inlines.ts';
import type { Page } from './page.ts';
import { plainText } from './tree.ts';

/** A browser lays out columns × rows, also where a row has no cells: a wide and long table ends its tab. */
const MAX_COLUMNS = 100;
const MAX_CELLS = 20_000;

/** A table in a frame that scrolls, also by keyboard. */
export function table({ align, children }: Table, page: Page): Element {
  const columns = children.reduce((most, { children: cells }) => Math.max(most, cells.length), 0);
  if (columns > MAX_COLUMNS || columns * children.length > MAX_CELLS) return asLines(children);
  page.tables += 1;
  const [header, ...rows] = children;
  const head = header === undefined ? [] : [element('thead', {}, [row(header, align, page, true)])];
  const body = rows.map((cells) => row(cells, align, page, false));
  const content = element('table', {}, [...head, ...(body.length > 0 ? [element('tbody', {}, body)] : [])]);
  const name = `Table ${page.tables}`;
  return element('div', { class: 'md-table', role: 'group', 'aria-label': name, tabIndex: 0 }, [content]);
}

function asLines(rows: readonly TableRow[]): Element {
  const lines = rows.map(({ children }) => children.map((cell) => plainText(cell)).join(' | '));
  return element('div', { class: 'md-source' }, [safeText(lines.join('\n'))]);
}

function row({ children }: TableRow, align: AlignType[] | null | undefined, page: Page, isHeader: boolean): Content {
  const cells = children.map((cell, index) => {
    const content = toInlines(cell.children, page);
    const side = align?.[index];
    const alignment = side === 'right' || side === 'center' ? { class: `md-${side}` } : {};
    // A header without text would be read as a nameless one.
    return isHeader && content.length > 0
      ? element('th', { scope: 'col', ...alignment }, content)
      : element('td', alignment, content);
  });
  return element('tr', {}, cells);
}
