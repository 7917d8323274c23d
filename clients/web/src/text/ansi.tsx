import { safeText } from './safe-text.ts';
import type { Tone } from './statuses.ts';

const BEGIN = '\u001b[';
/** Colours (SGR), and the erasing of lines, which has no effect here. */
const SEQUENCE = /^([\d;]*)[mKJ]/;
/** Of the eight colours of terminals. */
const TONES: (Tone | undefined)[] = ['neutral', 'error', 'ok', 'warn', 'info', 'info', 'info', undefined];

/** A program's output with its colours, on our own background: nothing can be hidden. Other sequences stay visible. */
export function AnsiText({ text }: { text: string }) {
  const [first = '', ...rest] = text.split(BEGIN);
  let tone: Tone | undefined;
  const nodes = rest.map((part) => {
    const [sequence = '', codes = ''] = SEQUENCE.exec(part) ?? [];
    if (sequence.endsWith('m')) tone = toneAfter(tone, codes);
    const shown = safeText(sequence ? part.slice(sequence.length) : BEGIN + part);
    return tone ? (
      <span class="toned" data-tone={tone}>
        {shown}
      </span>
    ) : (
      shown
    );
  });
  return <>{[safeText(first), ...nodes]}</>;
}

function toneAfter(before: Tone | undefined, codes: string): Tone | undefined {
  let tone = before;
  // Of 256 colours the first eight have names here.
  const named = codes.replaceAll(/38;5;([0-7])\b/g, '3$1').replaceAll(/[34]8;(?:5;\d+|2(?:;\d+){3})/g, '39');
  for (const code of named.split(';').map(Number)) {
    if (code === 0 || code === 39) tone = undefined;
    if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) tone = TONES[code % 10];
  }
  return tone;
}
