import type { Nodes } from 'mdast';

/** A node and all within it, in the order of the text; without recursion, as a text can nest deeply. */
export function* descendants(root: Nodes): Generator<Nodes> {
  const waiting: Nodes[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    if ('children' in node) for (const child of node.children.toReversed()) waiting.push(child);
  }
}

/** The text in a node, at any depth; `maxCharacters` of it. */
export function plainText(root: Nodes, maxCharacters = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (const node of descendants(root)) {
    if ('value' in node) text += node.value;
    else if ('alt' in node) text += node.alt ?? '';
    else if (node.type === 'break') text += '\n';
    if (text.length >= maxCharacters) break;
  }
  return text.slice(0, maxCharacters);
}
