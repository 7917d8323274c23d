import type { BlockContent, Heading, List, ListItem, RootContent } from 'mdast';
import { safeLine, safeText } from '../text/safe-text.ts';
import { type Content, type ElementName, element } from './elements.ts';
import { toInlines } from './inlines.ts';
import { headingId, type Page } from './page.ts';
import { table } from './tables.ts';
import { plainText } from './tree.ts';

/** Lists in lists and quotes in quotes; what is deeper is shown as text. */
const MAX_DEPTH = 16;
const MAX_LANGUAGE_CHARACTERS = 40;
/** The page around has the only h1. */
const HEADINGS = ['h2', 'h3', 'h4', 'h5', 'h6', 'h6'] as const satisfies ElementName[];

export function toBlocks(nodes: readonly RootContent[], page: Page, depth = 0): Content[] {
  return nodes.flatMap((node) => {
    const block = convert(node, page, depth);
    return block === undefined ? [] : [block];
  });
}

function convert(node: RootContent, page: Page, depth: number): Content | undefined {
  switch (node.type) {
    case 'paragraph':
      return element('p', {}, toInlines(node.children, page));
    case 'heading':
      return heading(node, page);
    case 'thematicBreak':
      return element('hr', {});
    case 'code':
      return { kind: 'code', language: language(node.lang), text: safeText(node.value) };
    case 'html':
      return element('div', { class: 'md-source' }, [safeText(node.value)]);
    case 'blockquote':
      return element('blockquote', {}, inner(node.children, page, depth));
    case 'list':
      return list(node, page, depth);
    case 'table':
      return table(node, page);
    case 'definition':
      return undefined;
    default:
      return element('p', {}, [safeText(plainText(node))]);
  }
}

function inner(nodes: readonly BlockContent[] | ListItem['children'], page: Page, depth: number): Content[] {
  if (depth < MAX_DEPTH) return toBlocks(nodes, page, depth + 1);
  return nodes.map((node) => element('p', {}, [safeText(plainText(node))]));
}

function heading(node: Heading, page: Page): Content {
  return element(HEADINGS[node.depth - 1] ?? 'h6', { id: headingId(node, page) }, toInlines(node.children, page));
}

function language(lang: string | null | undefined): string {
  return safeLine(lang ?? '').slice(0, MAX_LANGUAGE_CHARACTERS);
}

function list(node: List, page: Page, depth: number): Content {
  const items = node.children.map((item) => listItem(item, node.spread === true, page, depth));
  if (!node.ordered) return element('ul', {}, items);
  const { start } = node;
  return element('ol', typeof start === 'number' && start !== 1 ? { start } : {}, items);
}

function listItem(item: ListItem, isLoose: boolean, page: Page, depth: number): Content {
  if (typeof item.checked === 'boolean') return taskItem(item, item.checked, page, depth);
  const isTight = !isLoose && item.spread !== true;
  return element('li', {}, isTight ? tightContent(item, page, depth) : inner(item.children, page, depth));
}

/** Without paragraphs around the text. */
function tightContent(item: ListItem, page: Page, depth: number): Content[] {
  return item.children.flatMap((child) =>
    child.type === 'paragraph' ? toInlines(child.children, page) : inner([child], page, depth),
  );
}

function taskItem(item: ListItem, checked: boolean, page: Page, depth: number): Content {
  const [first, ...rest] = item.children;
  const box = { type: 'checkbox', checked, disabled: true } as const;
  if (first?.type !== 'paragraph') {
    const unlabelled = element('input', { ...box, 'aria-label': 'Task' });
    return element('li', { class: 'md-task' }, [unlabelled, ...inner(item.children, page, depth)]);
  }
  const label = element('label', {}, [element('input', box), ' ', ...toInlines(first.children, page)]);
  return element('li', { class: 'md-task' }, [label, ...inner(rest, page, depth)]);
}
