/** Letters that may follow or precede a name; then it is part of another word. */
const LETTER = '[\\p{L}\\p{N}\\p{M}]';

/** Whether a text may have one of the names below. Most texts have none of these signs. */
const SIGNS = /[+#]|\.[jn]/i;
const WORDS: readonly [name: RegExp, word: string][] = [
  [new RegExp(`(?<!${LETTER})c\\+\\+`, 'giu'), 'cpp '],
  [new RegExp(`(?<!${LETTER})c#`, 'giu'), 'csharp '],
  [new RegExp(`(?<!${LETTER})f#`, 'giu'), 'fsharp '],
  [new RegExp(`(?<!${LETTER})\\.net(?![\\p{L}\\p{M}])`, 'giu'), ' dotnet '],
];
/** `next.js`, `asp.net`… */
const DOTTED = new RegExp(`(?<!${LETTER})([a-z0-9]{1,30})\\.(js|net)(?!${LETTER})`, 'giu');

/** Writes names of languages with signs as words: `c++` as `cpp`, `c#` as `csharp`, `.net` as `dotnet`. */
export function spellSigns(text: string): string {
  if (!SIGNS.test(text)) return text;
  return WORDS.reduce((spelled, [name, word]) => spelled.replace(name, word), text);
}

/** For texts that are searched: `next.js` is found as `nextjs`, too. Names need only `spellSigns`. */
export function spellText(text: string): string {
  return SIGNS.test(text) ? spellSigns(text).replace(DOTTED, '$& $1$2') : text;
}

/** For queries: `next.js` is one word. */
export function spellQuery(query: string): string {
  return spellSigns(query).replace(DOTTED, '$1$2');
}
