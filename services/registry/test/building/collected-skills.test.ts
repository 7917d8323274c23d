import { expect, test } from '@jest/globals';
import { CollectedSkills } from '../../src/building/collected-skills.ts';
import { normaliseRecord } from '../../src/skills/normalise.ts';
import { Report } from '../../src/skills/report.ts';

test('a collected skill that is changed is the changed one', () => {
  const { skills, draft } = collect();
  for (const description of ['Отзывы', 'a', 'b'.repeat(500), '']) {
    const skill = { ...draft.skill, description };
    skills.replaceSkill(0, skill);
    expect(skills.skillOf(0)).toEqual(skill);
  }
  expect(skills.skillOf(1)).toEqual(draft.skill);
});

test('a collected skill that is changed takes a few times the room of one, however often that is', () => {
  const { skills, draft } = collect();
  const roomBefore = skills.columns.jsonStart[1] as number;
  for (let length = 0; length < 10_000; length++) {
    skills.replaceSkill(0, { ...draft.skill, description: 'x'.repeat(length) });
  }
  const taken = (skills.columns.jsonStart[0] as number) - roomBefore;
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(50_000);
});

function collect() {
  const skills = new CollectedSkills();
  const draft = normaliseRecord({ value: { name: 'review', extra: 'more' }, index: 0 }, new Report());
  if (draft === undefined) throw new Error('The record is one');
  skills.add(draft, 'review', 0);
  skills.add(draft, 'review', 0);
  return { skills, draft };
}
