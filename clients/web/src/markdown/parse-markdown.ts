import { toBlock } from './blocks.ts';
import type { Content } from './elements.ts';
import type { ToAddress } from './inlines.ts';
import { descendants, type Node, toTree } from './tree.ts';

const MAX_CHARACTERS = 262_144;
/** Blocks, marks and texts. */
const MAX_NODES = 30_000;
/** Quotes and lists within each other. */
const MAX_NESTING = 32;
/** A browser lays out columns × rows, also where a row has no cells: a wide table ends its tab. */
const MAX_COLUMNS = 100;

export interface MarkdownDocument {
  /** One after the other in the page. */
  blocks: Content[];
  /** Whether something is shown as its source, because it is too long, too deep or too wide. */
  isPartial: boolean;
}

/** Loads the parser, a chunk of its own, before there is a text. `parseMarkdown` meets a failure again. */
export async function preloadParser(): Promise<void> {
  await import('./parser.ts').catch(() => undefined);
}

/** Parses Markdown from anywhere into harmless elements. The parser is loaded when it is needed. */
export async function parseMarkdown(text: string, toAddress: ToAddress): Promise<MarkdownDocument> {
  if (text.length > MAX_CHARACTERS) return { blocks: [{ kind: 'plain', text }], isPartial: true };
  const { createParser } = await import('./parser.ts');
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const page = { toAddress, headingIds: new Map(), tables: 0 };
  const blocks: Content[] = [];
  let isPartial = false;
  let nodes = 0;
  for (const node of toTree(createParser(MAX_NESTING)(lines.join('\n')))) {
    const [start, end] = node.token.map ?? [0, 0];
    const size = measure(node);
    nodes += size.nodes;
    const isTooMuch = nodes > MAX_NODES;
    if (isTooMuch || size.depth >= MAX_NESTING - 1 || size.columns > MAX_COLUMNS) {
      blocks.push({ kind: 'plain', text: lines.slice(start, isTooMuch ? undefined : end).join('\n') });
      isPartial = true;
    } else blocks.push(...toBlock(node, page));
    if (isTooMuch) break;
  }
  return { blocks, isPartial };
}

function measure(root: Node) {
  let nodes = 0;
  let depth = 0;
  let columns = 0;
  for (const { token } of descendants(root)) {
    nodes += 1;
    if (token.block) depth = Math.max(depth, token.level);
    if (token.type === 'th_open') columns += 1;
  }
  return { nodes, depth, columns };
}
