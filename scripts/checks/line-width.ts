const MAX_COLUMNS = 120;
/** A line that is a comment in TypeScript, Lua or sh. */
const COMMENT = /^\s*(\/\/|\/\*\*?|\*|#|--)\s/;

/**
 * The places, such as `docs/a.md:12`, of comments and prose that are too wide. Tables and fenced blocks may be wider. A
 * fence that is never closed is a place too: the rest of the page would be shown as code.
 */
export function longLines(file: string, text: string): string[] {
  const isMarkdown = file.endsWith('.md');
  let fencedSince = 0;
  const places = text.split('\n').flatMap((line, at) => {
    if (isMarkdown && line.trimStart().startsWith('```')) fencedSince = fencedSince === 0 ? at + 1 : 0;
    const isProse = isMarkdown ? fencedSince === 0 && !line.startsWith('|') : COMMENT.test(line);
    // A line of one long word, such as a URL, cannot be wrapped.
    return isProse && line.length > MAX_COLUMNS && /\S\s+\S+\s+\S/.test(line) ? [`${file}:${at + 1}`] : [];
  });
  return fencedSince === 0 ? places : [...places, `${file}:${fencedSince}`];
}
