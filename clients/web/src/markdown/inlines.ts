import { FLEET_URL } from '../api/prefix.ts';
import { safeText } from '../text/safe-text.ts';
import { showAddress } from './addresses.ts';
import { type Content, type ElementName, element } from './elements.ts';
import { type Node, plainText } from './tree.ts';

/** Where a link leads, or undefined when one may not go there, or it is not known. */
export type ToAddress = (url: string) => string | undefined;

/** What the conversion of one text knows of all its blocks. */
export interface Page {
  toAddress: ToAddress;
  /** How often each id of a heading is in use. */
  headingIds: Map<string, number>;
  tables: number;
}

/** Emphasis in emphasis and so on; what is deeper is shown without it. */
const MAX_DEPTH = 16;
const MAX_ID_CHARACTERS = 100;
const PLAIN: Record<string, ElementName> = { em_open: 'em', strong_open: 'strong', s_open: 'del' };
const TAGS: Record<string, ElementName> = { kbd: 'kbd', sub: 'sub', sup: 'sup' };
const BREAK = /^<br\s*\/?>$/i;

interface InlineContext {
  page: Page;
  depth: number;
  /** Links do not nest. */
  isInLink: boolean;
}

export function toInlines(nodes: readonly Node[], page: Page): Content[] {
  return nodes.flatMap((node) => convert(node, { page, depth: 0, isInLink: false }));
}

function convert(node: Node, context: InlineContext): Content[] {
  const { token, children } = node;
  const name = PLAIN[token.type] ?? (token.type === 'tag_open' ? TAGS[token.tag] : undefined);
  if (name) return [element(name, {}, inner(children, context))];
  switch (token.type) {
    case 'code_inline':
      return [element('code', {}, [safeText(token.content)])];
    case 'softbreak':
      return ['\n'];
    case 'hardbreak':
      return [element('br', {})];
    case 'html_inline':
      return BREAK.test(token.content) ? [element('br', {})] : [safeText(token.content)];
    case 'link_open':
      return link(String(token.attrGet('href') ?? ''), children, context);
    case 'image':
      return image(String(token.attrGet('src') ?? ''), token.content, context);
    default:
      return [safeText(plainText(node))];
  }
}

function inner(nodes: readonly Node[], context: InlineContext): Content[] {
  if (context.depth >= MAX_DEPTH) return nodes.map((node) => safeText(plainText(node)));
  return nodes.flatMap((node) => convert(node, { ...context, depth: context.depth + 1 }));
}

function link(url: string, nodes: readonly Node[], context: InlineContext): Content[] {
  if (context.isInLink) return inner(nodes, context);
  const children = inner(nodes, { ...context, isInLink: true });
  if (url.startsWith('#')) return [element('a', { href: toAnchor(url.slice(1)) }, children)];
  return external(url, children, context);
}

/** Those of these pages: the policy forbids images from elsewhere, which are links. */
function image(url: string, alt: string, context: InlineContext): Content[] {
  const src = context.page.toAddress(url);
  if (src?.startsWith(`${FLEET_URL}/assets/`)) return [element('img', { src, alt: safeText(alt) })];
  const text = alt ? `Image: ${safeText(alt)}` : 'Image';
  return context.isInLink ? [text] : external(url, [text], context);
}

/** A link; one that leads nowhere one may go is its text, and where it would have led. */
function external(url: string, children: Content[], { page }: InlineContext): Content[] {
  const href = page.toAddress(url);
  if (href !== undefined) return [element('a', { href, rel: 'noopener noreferrer nofollow ugc' }, children)];
  if (url === '' || children.join('') === safeText(url)) return children;
  return [...children, ' ', element('span', { class: 'md-address' }, [`(${showAddress(url)})`])];
}

/** The id of a heading, as GitHub forms it, behind a prefix that no other id of the page has. */
export function headingId(heading: Node, { headingIds }: Page): string {
  const slug = toSlug(plainText(heading, MAX_ID_CHARACTERS));
  const uses = headingIds.get(slug) ?? 0;
  headingIds.set(slug, uses + 1);
  return uses === 0 ? `md-${slug}` : `md-${slug}-${uses}`;
}

/** The address of a heading within the text, for `#…`. */
export function toAnchor(fragment: string): string {
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
