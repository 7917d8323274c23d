/** A section grows to this size, then ends where it can. */
const SECTION_CHARACTERS = 8_192;

const BLANK = /^[ \t]*$/;
/** A block at the margin after a blank line: it ends every list, quote and paragraph before it. */
const NEW_BLOCK = /^(?:\p{L}|#|`|\||\*\*\S)/u;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
/** HTML that goes on after a blank line. */
const HTML_START = /^ {0,3}<(?:script|pre|style|textarea|!|\?)/i;
const HTML_END = /-->|\?>|\]\]>|<\/(?:script|pre|style|textarea)>|^ {0,3}<![a-z][^>]*>/i;

/**
 * Cuts Markdown, with `\n` as its line ends, into parts that can be parsed one after the other: each ends where nothing
 * but definitions reaches over the cut.
 */
export function toSections(text: string, size = SECTION_CHARACTERS): string[] {
  const sections: string[] = [];
  const isInside = createBlockTracker();
  let start = 0;
  let offset = 0;
  let isAfterBlank = false;
  for (const line of text.split('\n')) {
    if (!isInside(line) && isAfterBlank && offset - start >= size && NEW_BLOCK.test(line)) {
      sections.push(text.slice(start, offset));
      start = offset;
    }
    isAfterBlank = BLANK.test(line);
    offset += line.length + 1;
  }
  sections.push(text.slice(start));
  return sections;
}

/** Says of each line whether it is inside of a block that may contain blank lines: fenced code or some HTML. */
function createBlockTracker(): (line: string) => boolean {
  let fence: string | undefined;
  let isHtml = false;
  return (line) => {
    const [, marker, rest = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (marker?.startsWith(fence) && BLANK.test(rest)) fence = undefined;
      return true;
    }
    if (isHtml) {
      isHtml = !HTML_END.test(line);
      return true;
    }
    if (marker !== undefined && !(marker.startsWith('`') && rest.includes('`'))) fence = marker;
    else isHtml = HTML_START.test(line) && !HTML_END.test(line);
    return false;
  };
}
