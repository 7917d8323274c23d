import { toBlocks } from './blocks.ts';
import { type Content, element } from './elements.ts';
import type { Page } from './page.ts';

/** The footnotes that the text, or a footnote, refers to; undefined when there are none. */
export function footnotes(page: Page): Content | undefined {
  const items: Content[] = [];
  // Grows while footnotes refer to others.
  for (const identifier of page.citedFootnotes) {
    const number = items.length + 1;
    const back = element('a', { href: `#mdref-${number}`, 'aria-label': `Back to reference ${number}` }, ['↩']);
    const content = toBlocks(page.footnotes.get(identifier)?.children ?? [], page);
    items.push(element('li', { id: `mdnote-${number}` }, [...content, ' ', back]));
  }
  if (items.length === 0) return undefined;
  return element('section', { class: 'md-footnotes', 'aria-label': 'Footnotes' }, [element('ol', {}, items)]);
}
