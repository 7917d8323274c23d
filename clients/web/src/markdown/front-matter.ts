export interface FrontMatter {
  /** What is between the lines of `---`; null when the text does not begin with them. */
  frontMatter: string | null;
  body: string;
}

/** Separates the YAML at the beginning of a SKILL.md from its Markdown. */
export function splitFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const opening = /^---[ \t]*\n/.exec(lines)?.[0];
  if (opening === undefined) return { frontMatter: null, body: lines };
  const closing = /^(?:---|\.\.\.)[ \t]*(?:\n|$)/gm;
  closing.lastIndex = opening.length;
  const match = closing.exec(lines);
  if (match === null) return { frontMatter: null, body: lines };
  return { frontMatter: lines.slice(opening.length, match.index), body: lines.slice(closing.lastIndex) };
}
