/** Kinds of characters for splitting text into words. */
const SEPARATOR = 0;
export const LETTER = 1;
/** Of a script without spaces between words. */
export const UNSPACED = 2;

export type CharacterKind = typeof SEPARATOR | typeof LETTER | typeof UNSPACED;

const WORD = /^[\p{L}\p{N}\p{M}]$/u;
const UNSPACED_SCRIPT =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]$/u;

/** By code unit: kind + 1, or 0 if not known yet. */
const known = new Uint8Array(0x10000);

/** The kind of a folded character. Lone surrogates are separators. */
export function kindOf(codePoint: number): CharacterKind {
  if (codePoint > 0xffff) return classify(codePoint);
  const kind = known[codePoint]!;
  if (kind !== 0) return (kind - 1) as CharacterKind;
  known[codePoint] = classify(codePoint) + 1;
  return classify(codePoint);
}

function classify(codePoint: number): CharacterKind {
  const character = String.fromCodePoint(codePoint);
  if (!WORD.test(character)) return SEPARATOR;
  return UNSPACED_SCRIPT.test(character) ? UNSPACED : LETTER;
}

/** By ASCII character: the lower-case letter or digit, else 0. */
export const ASCII_LETTERS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit).toLowerCase();
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});
