/**
 * What has no glyph of its own or changes the direction of writing: controls, marks of direction, everything that
 * Unicode calls default ignorable (zero-width, tags, fillers), separators of lines, annotations and lone surrogates.
 */
const UNSAFE = /(?![\t\n])[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/u;
const UNSAFE_RUN = new RegExp(`(${UNSAFE.source})\\1*`, 'gu');

/** Before a letter: fillers are letters that cannot be seen. */
const VISIBLE = '(?!\\p{Default_Ignorable_Code_Point})';

/** Where invisible characters belong: within emoji, between letters that join, and where a word may break. */
const BENIGN = new RegExp(
  [
    '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}]|\\p{Emoji}\\ufe0f)\\u200d(?=\\p{Extended_Pictographic})',
    '(?<=\\p{Emoji})[\\ufe0e\\ufe0f](?!\\p{Variation_Selector})',
    '(?<=\\u{1f3f4})[\\u{e0020}-\\u{e007e}]{1,6}\\u{e007f}',
    `(?<=${VISIBLE}[\\p{Script=Arab}\\p{Script=Deva}\\p{Script=Beng}\\p{Script=Mlym}\\p{Script=Sinh}\\p{Script=Mong}])` +
      `[\\u200c\\u200d](?=${VISIBLE}\\p{L})`,
    `(?<=${VISIBLE}\\p{L})\\u00ad(?=${VISIBLE}\\p{L})`,
  ].join('|'),
  'u',
);
const BENIGN_OR_UNSAFE_RUN = new RegExp(`(?:${BENIGN.source})|${UNSAFE_RUN.source}`, 'gu');

/** The pictures of the controls (U+2400…) show which one it is. */
const PICTURES = 0x2400;
/** A longer run of one character is shown once, with its number. */
const MAX_REPEATED = 3;

/**
 * Makes what cannot be seen visible, so that no text from elsewhere hides or reverses a part of itself: controls as
 * pictures (`␛`), others as `⟨U+202E⟩`. Line breaks and tabs stay. Its own result passes unchanged.
 */
export function safeText(text: string): string {
  if (!UNSAFE.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(BENIGN_OR_UNSAFE_RUN, (run: string, character: string | undefined) =>
      character === undefined ? run : show(character, run.length / character.length),
    );
}

/** The same on one line, for titles, labels and cells. */
export function safeLine(text: string): string {
  return safeText(text).replace(/[\t\n]+/g, ' ');
}

/** Letters that are taken for those of ASCII. */
const LOOKALIKE = String.raw`[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff21-\uff5a\u{1d400}-\u{1d7ff}]`;
const MIXED = new RegExp(`[a-z]\\p{M}*(${LOOKALIKE})|(${LOOKALIKE})\\p{M}*[a-z]`, 'iu');

/** Where a letter that may be taken for another one stands beside a Latin letter, such as `pаy (U+0430)`. */
export function mixedWord(text: string): string | undefined {
  const found = MIXED.exec(text);
  const letter = found?.[1] ?? found?.[2];
  if (!found || letter === undefined) return undefined;
  const around = text.slice(Math.max(0, found.index - 8), found.index + 8);
  return safeLine(`${around} (U+${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')})`);
}

function show(character: string, count: number): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(PICTURES + code).repeat(count);
  if (code === 0x7f) return '\u2421'.repeat(count);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return count > MAX_REPEATED ? `⟨${name}×${count}⟩` : `⟨${name}⟩`.repeat(count);
}
