const RUN = 12;

/**
 * Sorts in place; equal ones stay in their order. Without a call into the engine's own sort, which costs several times
 * as much here.
 */
export function mergeSort(numbers: Uint32Array, isAfter: (a: number, b: number) => boolean): void {
  for (let from = 0; from < numbers.length; from += RUN) {
    insertionSort(numbers, from, Math.min(from + RUN, numbers.length), isAfter);
  }
  if (numbers.length <= RUN) return;
  let source: Uint32Array = numbers;
  let target: Uint32Array = new Uint32Array(numbers.length);
  for (let width = RUN; width < numbers.length; width *= 2) {
    for (let from = 0; from < numbers.length; from += 2 * width) {
      merge(
        source,
        target,
        from,
        Math.min(from + width, numbers.length),
        Math.min(from + 2 * width, numbers.length),
        isAfter,
      );
    }
    [source, target] = [target, source];
  }
  if (source !== numbers) numbers.set(source);
}

function insertionSort(
  numbers: Uint32Array,
  from: number,
  to: number,
  isAfter: (a: number, b: number) => boolean,
): void {
  for (let next = from + 1; next < to; next++) {
    const number = numbers[next] as number;
    let at = next;
    while (at > from && isAfter(numbers[at - 1] as number, number)) {
      numbers[at] = numbers[at - 1] as number;
      at--;
    }
    numbers[at] = number;
  }
}

function merge(
  source: Uint32Array,
  target: Uint32Array,
  from: number,
  middle: number,
  to: number,
  isAfter: (a: number, b: number) => boolean,
): void {
  if (middle === to || !isAfter(source[middle - 1] as number, source[middle] as number)) {
    for (let at = from; at < to; at++) target[at] = source[at] as number;
    return;
  }
  let left = from;
  let right = middle;
  for (let at = from; at < to; at++) {
    const takesRight = left === middle || (right < to && isAfter(source[left] as number, source[right] as number));
    target[at] = source[takesRight ? right++ : left++] as number;
  }
}
