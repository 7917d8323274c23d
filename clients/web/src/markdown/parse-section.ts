import type { Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmStrikethroughFromMarkdown } from 'mdast-util-gfm-strikethrough';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { gfmTaskListItemFromMarkdown } from 'mdast-util-gfm-task-list-item';
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal';
import { gfmStrikethrough } from 'micromark-extension-gfm-strikethrough';
import { gfmTable } from 'micromark-extension-gfm-table';
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item';
import { guard } from './guard.ts';
import { knownLabels } from './labels.ts';
import { literalAddresses } from './literal-addresses.ts';

/** GitHub's Markdown without footnotes, which hardly a skill has. */
const SYNTAX = [gfmAutolinkLiteral(), gfmStrikethrough({ singleTilde: false }), gfmTable(), gfmTaskListItem()];
const TREE = [literalAddresses, gfmStrikethroughFromMarkdown(), gfmTableFromMarkdown(), gfmTaskListItemFromMarkdown()];

/** Parses a part of a text; undefined when that would take too long, or too much of the stack. */
export function parseSection(text: string, labels: readonly string[], isTimeUp: () => boolean): Root | undefined {
  try {
    return fromMarkdown(text, {
      extensions: [...SYNTAX, knownLabels(labels), guard(isTimeUp)],
      mdastExtensions: TREE,
    });
  } catch {
    return undefined;
  }
}
