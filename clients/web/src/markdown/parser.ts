// In one piece: from its modules, the bundler would make a helper that all pages load as one more file.
import MarkdownIt, { type Token } from 'markdown-it/browser';

/**
 * A parser of GitHub's Markdown without footnotes, which hardly a skill has; its time is bounded for any text. What a
 * block at `maxNesting` contains is missing in the tokens.
 */
export function createParser(maxNesting: number): (text: string) => Token[] {
  const markdownIt = new MarkdownIt({ html: true, linkify: true, maxNesting });
  // Whether an address is a link is up to `toAddress`.
  markdownIt.validateLink = () => true;
  markdownIt.normalizeLink = (url) => url;
  markdownIt.normalizeLinkText = (text) => text;
  // Else the name of a file, such as README.md, would be an address.
  markdownIt.linkify.set({ fuzzyLink: false }).add('ftp:', null).add('//', null);
  return (text) => markdownIt.parse(text, {});
}
