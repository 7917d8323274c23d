// After cyrb53 by bryc (public domain): two lanes of 32 bits, one step per code unit or two bytes, mixed at the end.
const FIRST_LANE = 0x9e3779b1;
const SECOND_LANE = 0x5f356495;
const FIRST_START = 0xdeadbeef;
const SECOND_START = 0x41c6ce57;

/** A 53-bit hash of bytes, the same on every machine for the same `seed`. Not cryptographic. */
export function hashBytes(bytes: Uint8Array, seed = 0): number {
  const end = bytes.length;
  let first = FIRST_START ^ seed;
  let second = SECOND_START ^ seed;
  let at = 0;
  for (; at + 1 < end; at += 2) {
    const unit = bytes[at]! | (bytes[at + 1]! << 8);
    first = Math.imul(first ^ unit, FIRST_LANE);
    second = Math.imul(second ^ unit, SECOND_LANE);
  }
  // Larger than any two bytes, so that a trailing zero byte counts.
  const last = 0x10000 | (at < end ? 0x100 | bytes[at]! : 0);
  return join(Math.imul(first ^ last, FIRST_LANE), Math.imul(second ^ last, SECOND_LANE));
}

/** The hash of the id of a skill, which is ASCII. */
export function hashId(id: string): number {
  return hashBytes(Buffer.from(id, 'latin1'));
}

/** A 53-bit hash of the code units of `text`. What collides with one `seed` collides with another only by chance. */
export function hashText(text: string, seed: number): number {
  let first = FIRST_START ^ seed;
  let second = SECOND_START ^ seed;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    first = Math.imul(first ^ unit, FIRST_LANE);
    second = Math.imul(second ^ unit, SECOND_LANE);
  }
  return join(first, second);
}

function join(first: number, second: number): number {
  const high = mix(first ^ (second >>> 15));
  const low = mix(second ^ (first >>> 13));
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

function mix(lane: number): number {
  const once = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return twice ^ (twice >>> 16);
}
