const CONTEXT = 3;
/** More pairs of lines are not compared: all lines are replaced. */
const MAX_PAIRS = 4_000_000;

/** Two texts compared by lines: a unified diff without a header, empty where nothing differs. */
export function lineDiff(before: string, after: string) {
  const toLines = (text: string) => (text === '' ? [] : text.split('\n'));
  const marked = markLines(toLines(before), toLines(after));
  const countOf = (mark: string) => marked.filter((line) => line.startsWith(mark)).length;
  return { diff: toHunks(marked), added: countOf('+'), removed: countOf('-') };
}

/** All lines of both, each with its mark: by the longest common subsequence. */
function markLines(before: readonly string[], after: readonly string[]): string[] {
  const width = after.length + 1;
  const rows = before.length * after.length <= MAX_PAIRS ? before.length : 0;
  // How many lines the rest of both has in common, from each pair of lines on.
  const common = new Uint32Array((rows + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  const isSame = (row: number, column: number) => row < rows && column < after.length && before[row] === after[column];
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      const skipped = Math.max(at(row + 1, column), at(row, column + 1));
      common[row * width + column] = isSame(row, column) ? at(row + 1, column + 1) + 1 : skipped;
    }
  }
  const marked: string[] = [];
  for (let row = 0, column = 0; row < before.length || column < after.length; ) {
    const same = isSame(row, column);
    const isRemoved = column >= after.length || (row < before.length && at(row + 1, column) >= at(row, column + 1));
    const takesBefore = same || isRemoved;
    marked.push(`${same ? ' ' : isRemoved ? '-' : '+'}${takesBefore ? before[row] : after[column]}`);
    if (takesBefore) row += 1;
    if (same || !isRemoved) column += 1;
  }
  return marked;
}

/** Changes with the lines around them. */
function toHunks(marked: readonly string[]): string {
  const isNear = (at: number) =>
    marked.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith(' '));
  const near = marked.map((_, at) => isNear(at));
  const sizeWithout = (mark: string, lines: readonly string[]) => lines.filter((line) => !line.startsWith(mark)).length;
  return marked
    .flatMap((line, at) => {
      if (!near[at]) return [];
      if (near[at - 1]) return [line];
      const end = near.indexOf(false, at);
      const [head, hunk] = [marked.slice(0, at), marked.slice(at, end < 0 ? undefined : end)];
      const range = (mark: string) => `${sizeWithout(mark, head) + 1},${sizeWithout(mark, hunk)}`;
      return [`@@ -${range('+')} +${range('-')} @@`, line];
    })
    .join('\n');
}
