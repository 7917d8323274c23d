import { expect, test } from '@jest/globals';
import { PICTURES } from '../machines/fleet.ts';
import { kindsOf } from './nemeses.ts';
import { planFaults } from './plan.ts';

test('a seed plans the same faults again, and another seed or picture others', () => {
  const plans = [1, 1, 2].map((seed) => planFaults('sentinel', seed).take(50).toArray());
  expect(plans[1]).toEqual(plans[0]);
  expect(plans[2]).not.toEqual(plans[0]);
  expect(planFaults('strict', 1).take(50).toArray()).not.toEqual(plans[0]);
});

test('each round has every kind of the picture once', () => {
  for (const picture of PICTURES) {
    const kinds = kindsOf(picture);
    const plan = planFaults(picture, 7);
    for (let round = 0; round < 3; round++) {
      const planned = Array.from(kinds, () => plan.next().value[0]?.kind);
      expect(planned.toSorted()).toEqual(kinds.toSorted());
    }
  }
});
