import type { Token } from 'markdown-it';

/** What the tokens of markdown-it open and close. */
export interface Node {
  token: Token;
  children: Node[];
}

export function toTree(tokens: readonly Token[]): Node[] {
  const root: Node[] = [];
  const open = [root];
  for (const token of tokens) {
    if (token.nesting < 0) open.pop();
    else {
      const node = { token, children: token.type === 'inline' ? toTree(pairTags(token.children ?? [])) : [] };
      open.at(-1)?.push(node);
      if (token.nesting > 0) open.push(node.children);
    }
  }
  return root;
}

/** A node and all within it, in the order of the text; without recursion, as marks can nest deeply. */
export function* descendants(root: Node): Generator<Node> {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    for (const child of node.children.toReversed()) waiting.push(child);
  }
}

/** The text in a node, at any depth; `maxCharacters` of it. */
export function plainText(root: Node, maxCharacters = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (const { token } of descendants(root)) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') text += '\n';
    else if (token.type !== 'inline') text += token.content;
    if (text.length >= maxCharacters) break;
  }
  return text.slice(0, maxCharacters);
}

const TAG = /^<(\/?)(kbd|sub|sup)>$/;

/** Makes pairs of some harmless tags, which stand on their own in the tokens, open and close; the others stay HTML. */
function pairTags(tokens: readonly Token[]): readonly Token[] {
  const open: Token[] = [];
  for (const token of tokens) {
    while (open.length > 0 && token.level < (open.at(-1) as Token).level) open.pop();
    const [, slash, name = ''] = (token.type === 'html_inline' && TAG.exec(token.content.toLowerCase())) || [];
    const last = open.at(-1);
    if (slash === '') open.push(Object.assign(token, { tag: name }));
    else if (slash && last?.level === token.level && last.tag === name) {
      Object.assign(last, { type: 'tag_open', nesting: 1, content: '' });
      Object.assign(token, { type: 'tag_close', nesting: -1 });
      open.pop();
    }
  }
  return tokens;
}
