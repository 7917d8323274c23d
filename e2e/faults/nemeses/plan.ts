import { Random } from '../../histories/random.ts';
import { PICTURES, type PictureName } from '../machines/fleet.ts';
import { isOfService, type Kind, kindsOf } from './nemeses.ts';

/** How often a fault of Redis has one of a service beside it. */
const BESIDE = 0.25;
const MAX_SEED = 2 ** 32;

/** A fault to come, or two at once. Each `seed` decides the rest: what it breaks, and for how long. */
export type Planned = readonly { kind: Kind; seed: number }[];

/** The faults of a picture, without end: in rounds, each of which has every kind once in an order of its own. */
export function* planFaults(picture: PictureName, seed: number, only?: readonly Kind[]): Generator<Planned, never> {
  const random = new Random(seed * PICTURES.length + PICTURES.indexOf(picture));
  const kinds = only ?? kindsOf(picture);
  const beside = kinds.filter(isOfService);
  const draw = (kind: Kind) => ({ kind, seed: random.below(MAX_SEED) });
  for (;;) {
    for (const left = [...kinds]; left.length > 0; ) {
      const [kind] = left.splice(random.below(left.length), 1) as [Kind];
      const other = random.next() < BESIDE && kind.includes('redis') ? random.pick(beside) : undefined;
      yield other ? [draw(kind), draw(other)] : [draw(kind)];
    }
  }
}
