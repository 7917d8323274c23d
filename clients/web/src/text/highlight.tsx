import type { ComponentChild } from 'preact';

const WORDS =
  'and as async await break case catch class const continue def default del do elif else enum except export extends ' +
  'false False finally fn for from func function if impl implements import in interface lambda let match mut new nil ' +
  'None not null of or package pass private protected pub public raise return self static struct switch this throw ' +
  'throws trait true True try type undefined use var void while with yield';
const REST =
  `("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\.)*\`)|` +
  `\\b(\\d[\\w.]*)\\b|\\b(${WORDS.replaceAll(' ', '|')})\\b`;
/** Of strings, numbers and keywords; comments are muted. */
const TONES = [undefined, 'ok', 'warn', 'info'];
/** By what a comment begins with. */
const TOKENS = {
  slashes: new RegExp(`((?<!:)//.*|/\\*.*?(?:\\*/|$))|${REST}`, 'gm'),
  hash: new RegExp(`((?<=^|\\s)#.*)|${REST}`, 'gm'),
};
const HASH = /(?:^|\.)(?:py|python|sh|bash|zsh|shell|console|rb|ruby|ya?ml|toml|pl|r|makefile|dockerfile)$/i;
const SLASHES =
  /(?:^|\.)(?:[cm]?[jt]sx?|javascript|typescript|jsonc?|go|rs|rust|java|kt|swift|cs|php|scala|c|h|cc|cpp|hpp|s?css|lua)$/i;
const MAX_CHARACTERS = 20_000;

/** Code with colours that need no grammar. `language`: its name, or that of its file; of another one it is plain. */
export function highlight(text: string, language: string): ComponentChild {
  const tokens = HASH.test(language) ? TOKENS.hash : SLASHES.test(language) ? TOKENS.slashes : undefined;
  if (!tokens || text.length > MAX_CHARACTERS) return text;
  const nodes: ComponentChild[] = [];
  let end = 0;
  for (const found of text.matchAll(tokens)) {
    const tone = TONES[found.slice(1).findIndex((group) => group !== undefined)];
    nodes.push(
      text.slice(end, found.index),
      <span class={tone ? 'toned' : 'muted'} data-tone={tone}>
        {found[0]}
      </span>,
    );
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)] as unknown as ComponentChild;
}
