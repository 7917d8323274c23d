import { expect, test } from '@jest/globals';
import { createQueries } from './queries.ts';
import { createSkill } from './synthetic-skill.ts';

test('queries are different from each other, and the same for the same seed', () => {
  const queries = createQueries(1, 3_000);
  expect(new Set(queries.map(({ q, category }) => `${q}/${category}`)).size).toBe(3_000);
  expect(createQueries(1, 3_000)).toEqual(queries);
  expect(createQueries(2, 3_000)).not.toEqual(queries);
});

test('queries have two words that occur in many skills', () => {
  const count = 2_000;
  const skills = Array.from({ length: count }, (_, id) => {
    const { name, description } = createSkill(1, id, 0);
    return new Set(`${name} ${description}`.toLowerCase().match(/[a-z]+/g));
  });
  for (const words of createQueries(1, 50).map(({ q }) => q.split(' '))) {
    expect(new Set(words).size).toBe(2);
    for (const word of words) expect(skills.filter((skill) => skill.has(word)).length).toBeGreaterThan(count / 50);
  }
});
