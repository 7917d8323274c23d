const MAX_COLUMNS = 120;
/** A line that is a comment in TypeScript, Lua or sh. */
const COMMENT = /^\s*(\/\/|\/\*\*?|\*|#|--)\s/;

/**
 * The places, such as `docs/a.md:12`, of comments and prose that are too wide. Tables and fenced blocks may be wider.
 */
export function longLines(file: string, text: string): string[] {
  const isMarkdown = file.endsWith('.md');
  let isFenced = false;
  return text.split('\n').flatMap((line, at) => {
    if (isMarkdown && line.trimStart().startsWith('```')) isFenced = !isFenced;
    const isProse = isMarkdown ? !isFenced && !line.startsWith('|') : COMMENT.test(line);
    // A line of one long word, such as a URL, cannot be wrapped.
    return isProse && line.length > MAX_COLUMNS && /\S\s+\S+\s+\S/.test(line) ? [`${file}:${at + 1}`] : [];
  });
}
