import type { ImageReference, LinkReference, PhrasingContent } from 'mdast';
import { safeText } from '../text/safe-text.ts';
import { showAddress, toAddress } from './addresses.ts';
import { type Content, type Element, element } from './elements.ts';
import { nestInlineHtml } from './inline-html.ts';
import { anchor, type Page } from './page.ts';
import { plainText } from './tree.ts';

/** Emphasis in emphasis and so on; what is deeper is shown without it. */
const MAX_DEPTH = 16;

interface InlineContext {
  page: Page;
  depth: number;
  /** Links do not nest. */
  isInLink: boolean;
}

export function toInlines(nodes: readonly PhrasingContent[], page: Page): Content[] {
  return convertAll(nodes, { page, depth: 0, isInLink: false });
}

function convertAll(nodes: readonly PhrasingContent[], context: InlineContext): Content[] {
  return nestInlineHtml(nodes, (node) => convert(node, context));
}

function convert(node: PhrasingContent, context: InlineContext): Content[] {
  switch (node.type) {
    case 'text':
      return [safeText(node.value)];
    case 'emphasis':
      return [element('em', {}, inner(node.children, context))];
    case 'strong':
      return [element('strong', {}, inner(node.children, context))];
    case 'delete':
      return [element('del', {}, inner(node.children, context))];
    case 'inlineCode':
      return [element('code', {}, [safeText(node.value)])];
    case 'break':
      return [element('br', {})];
    case 'link':
      return link(node.url, node.children, context);
    case 'image':
      return image(node.url, node.alt, context);
    case 'linkReference':
      return linkReference(node, context);
    case 'imageReference':
      return imageReference(node, context);
    default:
      return [safeText(plainText(node))];
  }
}

function inner(nodes: readonly PhrasingContent[], context: InlineContext): Content[] {
  if (context.depth >= MAX_DEPTH) return nodes.map((node) => safeText(plainText(node)));
  return convertAll(nodes, { ...context, depth: context.depth + 1 });
}

function link(url: string, nodes: readonly PhrasingContent[], context: InlineContext): Content[] {
  if (context.isInLink) return inner(nodes, context);
  const children = inner(nodes, { ...context, isInLink: true });
  if (url.startsWith('#')) return [element('a', { href: anchor(url.slice(1)) }, children)];
  const href = toAddress(url, context.page.baseUrl);
  return href === undefined ? withAddress(children, url) : [external(href, children)];
}

/** The policy of the pages forbids images from elsewhere. */
function image(url: string, alt: string | null | undefined, context: InlineContext): Content[] {
  const text = alt ? `Image: ${safeText(alt)}` : 'Image';
  if (context.isInLink) return [text];
  const href = toAddress(url, context.page.baseUrl);
  return href === undefined ? withAddress([text], url) : [external(href, [text])];
}

function linkReference(node: LinkReference, context: InlineContext): Content[] {
  const definition = context.page.definitions.get(node.identifier);
  if (definition !== undefined) return link(definition.url, node.children, context);
  const label = node.referenceType === 'full' ? `[${safeText(node.label ?? node.identifier)}]` : '';
  return ['[', ...inner(node.children, context), `]${label}`];
}

function imageReference(node: ImageReference, context: InlineContext): Content[] {
  const definition = context.page.definitions.get(node.identifier);
  if (definition !== undefined) return image(definition.url, node.alt, context);
  return [`![${safeText(node.alt ?? node.label ?? '')}]`];
}

function external(href: string, children: Content[]): Element {
  return element('a', { href, rel: 'noopener noreferrer nofollow ugc' }, children);
}

/** For a link that leads nowhere one may go: its text, and where it would have led. */
function withAddress(children: Content[], url: string): Content[] {
  if (url === '' || children.join('') === safeText(url)) return children;
  return [...children, ' ', element('span', { class: 'md-address' }, [`(${showAddress(url)})`])];
}
