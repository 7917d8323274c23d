import type { PhrasingContent } from 'mdast';
import { safeText } from '../text/safe-text.ts';
import { type Content, element } from './elements.ts';

const NAMES = ['kbd', 'sub', 'sup'] as const;
type Name = (typeof NAMES)[number];
const TAG = new RegExp(`^<(/?)(${NAMES.join('|')})>$`, 'i');
const BREAK = /^<br\s*\/?>$/i;
const MAX_OPEN = 8;

interface Open {
  name: Name;
  /** As it was written, for a tag that is never closed. */
  tag: string;
  content: Content[];
}

/**
 * Converts siblings, among which tags of inline HTML stand on their own. Pairs of some harmless ones and `<br>` become
 * elements; all other HTML is a text.
 */
export function nestInlineHtml(
  nodes: readonly PhrasingContent[],
  convert: (node: PhrasingContent) => Content[],
): Content[] {
  const content: Content[] = [];
  const open: Open[] = [];
  const add = (added: Content) => (open.at(-1)?.content ?? content).push(added);

  for (const node of nodes) {
    if (node.type !== 'html') {
      convert(node).forEach(add);
      continue;
    }
    const [tag, slash, name] = TAG.exec(node.value) ?? [];
    const last = open.at(-1);
    if (BREAK.test(node.value)) add(element('br', {}));
    else if (tag && slash === '' && open.length < MAX_OPEN) open.push({ name: toName(name), tag, content: [] });
    else if (tag && slash && last !== undefined && last.name === toName(name)) {
      open.pop();
      add(element(last.name, {}, last.content));
    } else add(safeText(node.value));
  }
  for (let last = open.pop(); last !== undefined; last = open.pop()) [last.tag, ...last.content].forEach(add);
  return content;
}

function toName(name: string | undefined): Name {
  return NAMES.find((known) => known === name?.toLowerCase()) ?? 'kbd';
}
