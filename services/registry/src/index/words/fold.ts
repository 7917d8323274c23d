/** Accents and invisible characters. Japanese voicing marks and vowel signs of other scripts stay. */
const IGNORED = /\p{Default_Ignorable_Code_Point}|[\u0300-\u036f]|[\u20d0-\u20ff]/gu;
const SEPARATORS = /[\s_-]+/g;

/** Normalizes text for comparing words: NFKC, lower case, no accents. `Café` is `cafe`, `Straße` is `strasse`. */
export function fold(text: string): string {
  if (!hasUnitFrom(text, 0x80)) return text.toLowerCase();
  return text.normalize('NFKD').replace(IGNORED, '').toLowerCase().replaceAll('ß', 'ss').normalize('NFC');
}

/** Normalizes a label for filters and counts: lower case, NFC. */
export function keyOf(label: string): string {
  const lower = label.toLowerCase();
  // NFC never changes characters before U+0300, the first combining mark.
  return hasUnitFrom(lower, 0x300) ? lower.normalize('NFC') : lower;
}

/** Normalizes a whole name: folded, with white space, dashes and underscores as one space. */
export function foldName(text: string): string {
  return fold(text).replace(SEPARATORS, ' ').trim();
}

function hasUnitFrom(text: string, least: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= least) return true;
  return false;
}
