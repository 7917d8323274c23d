import type { FootnoteReference } from 'mdast';
import { safeText } from '../text/safe-text.ts';
import { type Content, element } from './elements.ts';
import type { Page } from './page.ts';

/** The number of a footnote, given by its first reference. */
export function footnoteReference({ identifier, label }: FootnoteReference, page: Page): Content {
  if (!page.footnotes.has(identifier)) return `[^${safeText(label ?? identifier)}]`;
  const known = page.citedFootnotes.indexOf(identifier);
  const number = known >= 0 ? known + 1 : page.citedFootnotes.push(identifier);
  const id = known >= 0 ? {} : { id: `mdref-${number}` };
  const link = element('a', { ...id, href: `#mdnote-${number}`, 'aria-label': `Footnote ${number}` }, [`${number}`]);
  return element('sup', {}, [link]);
}
