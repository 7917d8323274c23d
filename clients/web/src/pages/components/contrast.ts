/** A colour as `getComputedStyle` has it; undefined if it is another notation. */
function parseColor(text: string): number[] | undefined {
  const [, numbers] = /^rgba?\(([^)]+)\)$/.exec(text) ?? [];
  return numbers?.split(',').slice(0, 3).map(Number);
}

/** WCAG 2.2, "relative luminance". */
function luminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio": from 1 to 21. */
export function contrastOf(text: string, background: string): number | undefined {
  const colors = [parseColor(text), parseColor(background)];
  const [first, second] = colors.flatMap((color) => (color ? [luminance(color)] : []));
  if (first === undefined || second === undefined) return undefined;
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}
