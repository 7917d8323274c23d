/**
 * Returns positions `from` up to `to` of the sorted first `length` keys, which must be distinct. Reorders `keys`.
 * Quickselect (Hoare, 1961) with a median-of-three pivot: only the requested page is sorted.
 */
export function selectPage(keys: Float64Array, length: number, from: number, to: number): Float64Array {
  const end = Math.min(to, length);
  if (from >= end) return keys.subarray(0, 0);
  partition(keys, 0, length, from);
  partition(keys, from, length, end);
  return keys.subarray(from, end).sort();
}

/** Moves the least `to` of the first `length` keys to the front. Returns the least of the others. */
export function keepLeast(keys: Float64Array, length: number, to: number): number {
  partition(keys, 0, length, to);
  return keys[to]!;
}

/** Of the keys from `low` up to `high`, moves the lesser ones before position `at`. */
function partition(keys: Float64Array, low: number, high: number, at: number): void {
  let from = low;
  let to = high - 1;
  // After too many bad pivots it sorts, which bounds the work.
  for (let round = 0; from < to && at > from && at <= to; round++) {
    if (round === 64) {
      keys.subarray(from, to + 1).sort();
      return;
    }
    const pivot = medianOf(keys[from]!, keys[(from + to) >>> 1]!, keys[to]!);
    let left = from;
    let right = to;
    while (left <= right) {
      while (keys[left]! < pivot) left++;
      while (keys[right]! > pivot) right--;
      if (left > right) break;
      const key = keys[left]!;
      keys[left++] = keys[right]!;
      keys[right--] = key;
    }
    if (at <= right) to = right;
    else if (at >= left) from = left;
    else return;
  }
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
