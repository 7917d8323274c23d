import type { Content, Element } from '../markdown/elements.ts';

/** What stands below a heading; before the first one, below the title, without an id. */
interface Section {
  heading: string;
  id: string;
  isTop: boolean;
  text: string;
  links: Element[];
}

export type GuideText = ReturnType<typeof toGuideText>;

const ONE_UP: Partial<Record<string, Element['name']>> = { h3: 'h2', h4: 'h3', h5: 'h4' };

/** The title of a page becomes its only h1, so its other headings go one up. */
export function toGuideText(path: string, [first = '', ...blocks]: Content[]) {
  const title = textOf(first);
  const sections: Section[] = [{ heading: title, id: '', isTop: false, text: '', links: [] }];
  for (const block of blocks) {
    const name = typeof block === 'object' && block.kind === 'element' && ONE_UP[block.name];
    const section = sections.at(-1) as Section;
    if (name) {
      block.name = name;
      const { id = '' } = block.attributes;
      sections.push({ heading: textOf(block), id, isTop: name === 'h2', text: '', links: [] });
    } else {
      section.text += `${textOf(block)}\n`;
      section.links.push(...linksIn(block));
    }
  }
  return { path, title, blocks, sections };
}

export function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  if (content.kind !== 'element') return content.text;
  return content.children.map(textOf).join(content.name === 'tr' ? ' ' : '') + (content.name === 'li' ? '\n' : '');
}

function linksIn(content: Content): Element[] {
  if (typeof content === 'string' || content.kind !== 'element') return [];
  return content.name === 'a' ? [content] : content.children.flatMap(linksIn);
}

/** Up to 30 sections that have all words, those first that have them in title and heading. */
export function searchGuide(pages: readonly GuideText[], query: string) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => words.length > 0 && words.every((word) => text.toLowerCase().includes(word));
  const sections = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ heading, id, text }) => ({ path, id, text, label: id ? `${title}: ${heading}` : title })),
  );
  const found = sections.filter(({ label, text }) => has(`${label} ${text}`));
  return found.toSorted((a, b) => Number(has(b.label)) - Number(has(a.label))).slice(0, 30);
}
