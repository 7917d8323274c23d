import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { guard } from './guard.ts';
import { knownLabels, type Labels } from './labels.ts';

/** Without the search for addresses in the finished tree, which is recursive: the syntax has found them. */
const treeExtensions = gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] }));

/** Parses a part of a text; undefined when that would take too long, or too much of the stack. */
export function parseSection(text: string, labels: Labels, isTimeUp: () => boolean): Root | undefined {
  try {
    return fromMarkdown(text, {
      extensions: [gfm({ singleTilde: false }), knownLabels(labels), guard(isTimeUp)],
      mdastExtensions: treeExtensions,
    });
  } catch {
    return undefined;
  }
}
