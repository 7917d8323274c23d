import type { Construct, Extension } from './syntax.ts';

const DEFINITION = /^ {0,3}\[((?:[^\][\\]|\\.){1,999})\]:/gm;
/** Headings are the only text that is not left to the constructs of last resort. */
const NUMBER_SIGN = 35;

/** The labels of what looks like a definition, normalized. */
export function findLabels(text: string): string[] {
  return Array.from(text.matchAll(DEFINITION), ([, label = '']) => normalize(label));
}

/** A syntax extension that tells the parser of one section which labels are defined, before it parses inline text. */
export function knownLabels(labels: readonly string[]): Extension {
  let isTold = false;
  const tell: Construct = {
    tokenize(_effects, _ok, nok) {
      if (!isTold) {
        isTold = true;
        for (const label of labels) this.parser.defined.push(label);
      }
      return nok;
    },
  };
  return { flow: { [NUMBER_SIGN]: tell, null: tell } };
}

/** How micromark compares labels. */
function normalize(label: string): string {
  return label
    .replace(/[\t\n\r ]+/g, ' ')
    .trim()
    .toLowerCase()
    .toUpperCase();
}
