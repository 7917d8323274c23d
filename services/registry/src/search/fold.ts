/**
 * Accents and the like, and what cannot be seen: variation selectors, joiners. Japanese voicing marks and vowel signs
 * of other scripts stay.
 */
const IGNORED = /\p{Default_Ignorable_Code_Point}|[\u0300-\u036f]|[\u20d0-\u20ff]/gu;
const SEPARATORS = /[\s_-]+/g;

/**
 * Text as words are compared: compatibility forms (NFKC), lower case, without accents: `Café` and `cafe`, `Straße` and
 * `strasse` are one.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(IGNORED, '').toLowerCase().replaceAll('ß', 'ss').normalize('NFC');
}

/** A label as filters compare it: in lower case, whichever way its accents are written. */
export function keyOf(label: string): string {
  const lower = label.toLowerCase();
  return hasMarks(lower) ? lower.normalize('NFC') : lower;
}

/** A whole name as it is compared: folded; white space, dashes and underscores are all one space. */
export function foldName(text: string): string {
  return fold(text).replace(SEPARATORS, ' ').trim();
}

/**
 * Whether there may be something to compose: the first mark is U+0300, and no text of what is before it is changed by
 * NFC.
 */
function hasMarks(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x300) return true;
  return false;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}
