import type { Definition, Nodes } from 'mdast';
import { descendants, plainText } from './tree.ts';

/** What the conversion of one text knows of all its sections. */
export interface Page {
  /** Where relative addresses start. */
  baseUrl: string | undefined;
  definitions: ReadonlyMap<string, Definition>;
  /** How often each id of a heading is in use. */
  headingIds: Map<string, number>;
  tables: number;
}

const MAX_ID_CHARACTERS = 100;

export function createPage(baseUrl: string | undefined, roots: readonly Nodes[]): Page {
  const definitions = new Map<string, Definition>();
  for (const root of roots) {
    for (const node of descendants(root)) {
      // The first definition of a label wins.
      if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
    }
  }
  return { baseUrl, definitions, headingIds: new Map(), tables: 0 };
}

/** The id of a heading, as GitHub forms it, behind a prefix that no other id of the page has. */
export function headingId(heading: Nodes, { headingIds }: Page): string {
  const slug = toSlug(plainText(heading, MAX_ID_CHARACTERS));
  const uses = headingIds.get(slug) ?? 0;
  headingIds.set(slug, uses + 1);
  return uses === 0 ? `md-${slug}` : `md-${slug}-${uses}`;
}

/** The address of a heading within the text, for `#…`. */
export function anchor(fragment: string): string {
  return `#md-${encodeURIComponent(toSlug(decode(fragment)).slice(0, MAX_ID_CHARACTERS))}`;
}

function toSlug(text: string): string {
  return text
    .toWellFormed()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
