import { expect, test } from '@jest/globals';
import { ByteStore, type Chunks, type Piece } from './byte-store.ts';

/** One edition more: the pieces of the store before, moved where needed, and a new one. */
function advance(chunks: Chunks, pieces: readonly Piece[], added: string) {
  const store = new ByteStore(chunks);
  const all = [...pieces, store.write(added)];
  const starts = Uint32Array.from(all, ({ start }) => start);
  store.clean(starts, (piece) => all[piece]?.length ?? 0);
  return { chunks: store.toChunks(), pieces: all.map(({ length }, piece) => ({ start: starts[piece] ?? 0, length })) };
}

test('any number of small changes fits into few chunks', () => {
  const textOf = (edition: number) => `${edition} ü`.padEnd(50_000 + (edition % 7) * 10_000, 'é');
  let [chunks, pieces]: [Chunks, readonly Piece[]] = [[], []];
  for (let edition = 0; edition < 300; edition++) {
    ({ chunks, pieces } = advance(chunks, pieces, textOf(edition)));
    expect(chunks.length).toBeLessThan(32);
  }
  const store = new ByteStore(chunks);
  const texts = pieces.map(({ start, length }) => store.bytesAt(start, length).toString());
  expect(texts).toEqual(pieces.map((_, edition) => textOf(edition)));
});
