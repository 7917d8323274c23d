/**
 * A patch as text of at most `maxBytes`, cut before a file, or before a hunk of a file that has others before it. Lines
 * of a patch that are content begin with a space, a plus or a minus, so none looks like the beginning of either.
 */
export function cutPatch(patch: Buffer, maxBytes: number): { text: string; isCut: boolean } {
  const text = patch.toString();
  // Bytes that are no UTF-8 become longer as text.
  if (patch.length <= maxBytes && Buffer.byteLength(text) <= maxBytes) return { text, isCut: false };
  const fitting = Buffer.from(text).subarray(0, maxBytes).toString();
  const file = fitting.lastIndexOf('\ndiff --git ') + 1;
  const hunk = fitting.lastIndexOf('\n@@ ') + 1;
  const firstHunk = fitting.indexOf('\n@@ ', file) + 1;
  return { text: fitting.slice(0, hunk > firstHunk && firstHunk > 0 ? hunk : file), isCut: true };
}
