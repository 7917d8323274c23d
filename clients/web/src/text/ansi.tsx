import type { ComponentChild } from 'preact';
import { safeText } from './safe-text.ts';
import './code.css';

const BEGIN = '\u001b[';
/** Colours and weights (SGR), and the erasing of lines, which has no effect here. */
const SEQUENCE = /^([\d;]*)[mKJ]/;

interface Style {
  /** 0 to 7 as terminals number them. */
  colour?: number;
  isBold?: boolean;
}

/** A program's output with its colours, on our own background: nothing can be hidden. Other sequences stay visible. */
export function AnsiText({ text }: { text: string }) {
  const [first = '', ...rest] = text.split(BEGIN);
  const nodes: ComponentChild[] = [safeText(first)];
  let style: Style = {};
  for (const part of rest) {
    const [sequence = '', codes = ''] = SEQUENCE.exec(part) ?? [];
    if (sequence.endsWith('m')) style = toStyle(style, codes.split(';').map(Number));
    const shown = safeText(sequence ? part.slice(sequence.length) : BEGIN + part);
    const names = [style.colour !== undefined && `ansi-${style.colour}`, style.isBold && 'ansi-bold'].filter(Boolean);
    nodes.push(names.length > 0 ? <span class={names.join(' ')}>{shown}</span> : shown);
  }
  return <>{nodes}</>;
}

function toStyle(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) style = {};
    else if (code === 1 || code === 22) style = { ...style, isBold: code === 1 };
    else if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) style = { ...style, colour: code % 10 };
    else if (code === 39) style = { ...style, colour: undefined };
    // A colour of 256, or of red, green and blue: only the first sixteen have names here.
    else if (code === 38 || code === 48) {
      const number = codes[at + 2] ?? 16;
      if (code === 38 && codes[at + 1] === 5) style = { ...style, colour: number < 16 ? number % 8 : undefined };
      at += codes[at + 1] === 2 ? 4 : 2;
    }
  }
  return style;
}
