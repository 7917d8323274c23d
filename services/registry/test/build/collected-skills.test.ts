import { expect, test } from '@jest/globals';
import { CollectedSkills } from '../../src/merge/collected-skills.ts';
import { draftOf } from '../support/draft-of.ts';

test('a collected skill that is replaced often takes a bounded amount of memory', () => {
  const skills = new CollectedSkills();
  const draft = draftOf({ name: 'review', extra: 'more' });
  for (let time = 0; time < 2; time++) skills.add(draft, 'review', 0);
  const roomBefore = skills.columns.jsonStart[1] as number;
  for (let length = 0; length < 10_000; length++) {
    skills.replaceSkill(0, { ...draft.skill, description: 'x'.repeat(length) });
  }
  const taken = (skills.columns.jsonStart[0] as number) - roomBefore;
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(50_000);
});
