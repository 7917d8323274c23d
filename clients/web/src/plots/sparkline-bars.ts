export const WIDTH = 80;
export const HEIGHT = 20;
const BAR = 3;
const GAP = 1;
const MAX_BARS = WIDTH / (BAR + GAP);
/** So that one task is seen beside a thousand. */
const MIN_BAR_HEIGHT = 2;

/** One path of bars, at most 20: values that share a bar are added. The newest is at the right edge. */
export function sparklinePath(values: readonly number[]): string {
  const size = Math.max(1, Math.ceil(values.length / MAX_BARS));
  const sums: number[] = [];
  for (let end = values.length; end > 0; end -= size) sums.push(sum(values.slice(Math.max(0, end - size), end)));
  const greatest = Math.max(...sums, 0);
  return sums
    .map((value, index) => {
      if (value <= 0) return '';
      const height = Math.max(MIN_BAR_HEIGHT, Math.round((value / greatest) * HEIGHT));
      return `M${WIDTH - (index + 1) * (BAR + GAP) + GAP} ${HEIGHT}v-${height}h${BAR}v${height}z`;
    })
    .join('');
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
