/** After the last key comes the first. Rows of QWERTY, its columns, QWERTZ, AZERTY and the Russian layout. */
const SEQUENCES = [
  'abcdefghijklmnopqrstuvwxyz',
  '1234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./",
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '!@#$%^&*()',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  'йцукенгшщзхъфывапролджэячсмитьбю',
];
/** Shorter ones are found in ordinary words. */
const MIN_RUN = 3;

/** For each sequence forwards and backwards: the key after a key. */
const NEXT_KEYS = SEQUENCES.map((keys) => [...keys])
  .flatMap((keys) => [keys, keys.toReversed()])
  .map((keys) => new Map(keys.map((key, at) => [key, keys[(at + 1) % keys.length]])));

/**
 * Whether it consists of nothing but runs of three or more keys in a row, or letters of the alphabet, in either
 * direction: `qwertyuiopasdfgh`, `1234567890qwerty`, `zyxwvutsrqponmlk`.
 *
 * @param text folded
 */
export function isKeySequence(text: string): boolean {
  const keys = [...text];
  /** Whether the first n keys are runs. */
  const isRuns = [true];
  for (let end = 1; end <= keys.length; end += 1) {
    const longest = Math.max(...NEXT_KEYS.map((nextKeys) => runLength(keys, end, nextKeys)));
    isRuns[end] = isRuns.some((isStart, start) => isStart && end - start >= MIN_RUN && end - start <= longest);
  }
  return isRuns[keys.length] === true;
}

/** How many keys before `end` follow each other. */
function runLength(keys: readonly string[], end: number, nextKeys: ReadonlyMap<string, string | undefined>): number {
  let start = end - 1;
  while (start > 0 && nextKeys.get(keys[start - 1] as string) === keys[start]) start -= 1;
  return end - start;
}
