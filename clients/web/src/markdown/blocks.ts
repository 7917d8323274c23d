import { safeLine, safeText } from '../text/safe-text.ts';
import { type Content, type Element, type ElementName, element } from './elements.ts';
import { headingId, type Page, toInlines } from './inlines.ts';
import { type Node, plainText } from './tree.ts';

const MAX_LANGUAGE_CHARACTERS = 40;
/** The page around has the only h1. */
const HEADINGS: Record<string, ElementName> = { h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5' };
const PLAIN = {
  blockquote_open: 'blockquote',
  bullet_list_open: 'ul',
  hr: 'hr',
  tbody_open: 'tbody',
  thead_open: 'thead',
  tr_open: 'tr',
} as const satisfies Record<string, ElementName>;

function toBlocks(nodes: readonly Node[], page: Page): Content[] {
  return nodes.flatMap((node) => toBlock(node, page));
}

export function toBlock(node: Node, page: Page): Content[] {
  const { token, children } = node;
  const inner = () => toBlocks(children, page);
  switch (token.type) {
    case 'inline':
      return toInlines(children, page);
    case 'paragraph_open':
      // Hidden: of a list without blank lines.
      return token.hidden ? inner() : [element('p', {}, inner())];
    case 'heading_open':
      return [element(HEADINGS[token.tag] ?? 'h6', { id: headingId(node, page) }, inner())];
    case 'fence':
    case 'code_block':
      return [{ kind: 'code', language: language(token.info), text: safeText(token.content.replace(/\n$/, '')) }];
    case 'html_block':
      return [source(token.content.trimEnd())];
    case 'ordered_list_open': {
      const start = Number(token.attrGet('start') ?? 1);
      return [element('ol', start === 1 ? {} : { start }, inner())];
    }
    case 'list_item_open':
      return [listItem(node, page)];
    case 'table_open':
      return [table(inner(), page)];
    case 'th_open':
    case 'td_open':
      return [cell(node, inner())];
    default:
      return token.type in PLAIN
        ? [element(PLAIN[token.type as keyof typeof PLAIN], {}, inner())]
        : [element('p', {}, [safeText(plainText(node))])];
  }
}

function source(text: string): Element {
  return element('div', { class: 'md-source' }, [safeText(text)]);
}

function language(info: string): string {
  const [word = ''] = info.trim().split(/\s/);
  return safeLine(word).slice(0, MAX_LANGUAGE_CHARACTERS);
}

const BOX = /^\[([ x])\]\s/i;

function listItem({ children }: Node, page: Page): Element {
  const [first, ...rest] = children;
  const text = first?.children[0]?.children[0];
  const [mark, state] = (text?.token.type === 'text' && BOX.exec(text.token.content)) || [];
  if (!first || !text || mark === undefined) return element('li', {}, toBlocks(children, page));
  text.token.content = text.token.content.slice(mark.length);
  const box = element('input', { type: 'checkbox', checked: state !== ' ', disabled: true });
  const label = element('label', {}, [box, ' ', ...toBlocks(first.children, page)]);
  return element('li', { class: 'md-task' }, [label, ...toBlocks(rest, page)]);
}

/** A table in a frame that scrolls, also by keyboard. */
function table(content: Content[], page: Page): Element {
  page.tables += 1;
  const attributes = { class: 'md-table', role: 'group', 'aria-label': `Table ${page.tables}`, tabIndex: 0 } as const;
  return element('div', attributes, [element('table', {}, content)]);
}

function cell({ token }: Node, content: Content[]): Element {
  const [, side] = /:(right|center)$/.exec(String(token.attrGet('style'))) ?? [];
  const alignment = side ? { class: `md-${side}` } : {};
  // A header without text would be read as a nameless one.
  const isHeader = token.tag === 'th' && content.length > 0;
  return isHeader ? element('th', { scope: 'col', ...alignment }, content) : element('td', alignment, content);
}
