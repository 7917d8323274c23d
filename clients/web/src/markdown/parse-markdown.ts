import type { Root } from 'mdast';
import { toBlocks } from './blocks.ts';
import type { Content } from './elements.ts';
import { findLabels } from './labels.ts';
import { createPage } from './page.ts';
import { parseSection } from './parse-section.ts';
import { toSections } from './sections.ts';
import { descendants } from './tree.ts';

const MAX_CHARACTERS = 262_144;
/** A section has no blank line before text at the margin: a list or a table without end. */
const MAX_SECTION_CHARACTERS = 32_768;
const MAX_NODES = 30_000;
const MAX_SECTION_MS = 1_000;
const MAX_TOTAL_MS = 3_000;
/** The page gets its turn after so long. */
const TURN_MS = 40;

export interface MarkdownDocument {
  sections: Content[][];
  /** Whether something is shown as its source, because it is too long, too deep, or made to take long. */
  isPartial: boolean;
}

interface ParseOptions {
  baseUrl?: string | undefined;
  signal?: AbortSignal;
  now?: () => number;
}

/** Parses Markdown from anywhere into harmless elements, in steps between which the page stays usable. */
export async function parseMarkdown(text: string, options: ParseOptions = {}): Promise<MarkdownDocument> {
  const lines = text.replace(/\r\n?/g, '\n');
  const sources = lines.length > MAX_CHARACTERS ? [lines] : toSections(lines);
  const roots = await parseSections(sources, options);
  const page = createPage(
    options.baseUrl,
    roots.filter((root) => root !== undefined),
  );
  const sections = roots.map((root, index): Content[] =>
    root ? toBlocks(root.children, page) : [{ kind: 'plain', text: sources[index] ?? '' }],
  );
  return { sections, isPartial: roots.includes(undefined) };
}

async function parseSections(sources: string[], options: ParseOptions): Promise<(Root | undefined)[]> {
  const { signal, now = () => performance.now() } = options;
  const labels = sources.length > 1 ? findLabels(sources.join('')) : [];
  const roots: (Root | undefined)[] = [];
  let nodes = 0;
  let spentMs = 0;
  let turnAt = now();
  for (const source of sources) {
    const startedAt = now();
    const endsAt = startedAt + Math.min(MAX_SECTION_MS, MAX_TOTAL_MS - spentMs);
    const isTooMuch = source.length > MAX_SECTION_CHARACTERS || nodes > MAX_NODES || spentMs >= MAX_TOTAL_MS;
    const root = isTooMuch ? undefined : parseSection(source, labels, () => now() > endsAt);
    if (root) for (const _ of descendants(root)) nodes += 1;
    roots.push(root);
    spentMs += now() - startedAt;
    if (now() - turnAt < TURN_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
    turnAt = now();
  }
  return roots;
}
