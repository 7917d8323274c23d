import type { Construct, Extension } from './syntax.ts';

const DEFINITION = /^ {0,3}\[(\^?)((?:[^\][\\]|\\.){1,999})\]:/gm;
/** Headings are the only text that is not left to the constructs of last resort. */
const NUMBER_SIGN = 35;

export interface Labels {
  definitions: string[];
  footnotes: string[];
}

/** What looks like the definition of a link or a footnote, normalized. */
export function findLabels(text: string): Labels {
  const labels: Labels = { definitions: [], footnotes: [] };
  for (const [, isFootnote, label = ''] of text.matchAll(DEFINITION)) {
    const list = isFootnote ? labels.footnotes : labels.definitions;
    list.push(normalize(label));
  }
  return labels;
}

/** A syntax extension that tells the parser of one section which labels are defined, before it parses inline text. */
export function knownLabels({ definitions, footnotes }: Labels): Extension {
  let isTold = false;
  const tell: Construct = {
    tokenize(_effects, _ok, nok) {
      if (!isTold) {
        isTold = true;
        for (const label of definitions) this.parser.defined.push(label);
        this.parser.gfmFootnotes = [...footnotes];
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
