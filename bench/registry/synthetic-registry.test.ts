import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { registryText, type SyntheticRegistry } from './synthetic-registry.ts';
import { MAX_DESCRIPTION } from './synthetic-skill.ts';

const COUNT = 5_000;
const BASE: SyntheticRegistry = {
  seed: 7,
  count: COUNT,
  edition: 1,
  changes: { changed: 50, added: 20, removed: 10 },
};

interface Skill {
  name: string;
  repo: string;
  description?: string | null;
  category?: string | null;
  tags?: string[] | null;
  stars?: number | null;
}

const textOf = (registry: SyntheticRegistry) => [...registryText(registry)].join('');
const skillsOf = (registry: SyntheticRegistry) => (JSON.parse(textOf(registry)) as { skills: Skill[] }).skills;
const linesOf = (registry: SyntheticRegistry) => skillsOf(registry).map((skill) => JSON.stringify(skill));

/** How many of the first are not among the second, of equal ones each by itself. */
function missing(first: string[], second: string[]): string[] {
  const counts = new Map<string, number>();
  for (const line of second) counts.set(line, (counts.get(line) ?? 0) + 1);
  return first.filter((line) => {
    const count = counts.get(line) ?? 0;
    counts.set(line, count - 1);
    return count <= 0;
  });
}

function frequencies(values: string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

describe('a synthetic registry', () => {
  test('has the same bytes for the same seed, and others for another', () => {
    const digest = (registry: SyntheticRegistry) => createHash('sha256').update(textOf(registry)).digest('hex');
    expect(digest(BASE)).toBe(digest({ ...BASE }));
    expect(digest({ ...BASE, seed: 8 })).not.toBe(digest(BASE));
  });

  test('tells how many records it has, and comes in parts of bounded size', () => {
    const parts = [...registryText(BASE)];
    const document = JSON.parse(parts.join('')) as { total_count: number; skills: Skill[] };
    expect(document.total_count).toBe(COUNT);
    expect(document.skills).toHaveLength(COUNT);
    expect(parts.length).toBeGreaterThan(20);
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(200_000);
  });

  test('has records of 500 to 550 bytes, with descriptions of 60 to 400 characters but for the odd ones', () => {
    const bytes = Buffer.byteLength(textOf(BASE)) / COUNT;
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThan(550);
    const lengths = skillsOf(BASE).flatMap(({ description }) =>
      description && description !== '|' ? [description.length] : [],
    );
    expect(lengths.length).toBeGreaterThan(0.98 * COUNT);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(60);
    expect(Math.max(...lengths)).toBe(MAX_DESCRIPTION);
  });

  test('has some words, tags and authors often and many seldom, and stars with a long tail', () => {
    const skills = skillsOf(BASE);
    const wordCounts = frequencies(skills.flatMap(({ description }) => description?.match(/[a-z]+/gi) ?? []));
    expect(wordCounts.length).toBeGreaterThan(10_000);
    expect(wordCounts[0]?.[1]).toBeGreaterThan(COUNT / 2);
    expect(wordCounts.filter(([, count]) => count === 1).length).toBeGreaterThan(1_000);
    const tagCounts = frequencies(skills.flatMap(({ tags }) => tags ?? []));
    expect(tagCounts.length).toBeGreaterThan(1_000);
    expect(tagCounts[0]?.[1]).toBeGreaterThan(COUNT / 50);
    expect(frequencies(skills.flatMap(({ category }) => category ?? [])).length).toBe(30);
    expect(frequencies(skills.map(({ repo }) => repo)).length).toBeGreaterThan(1_000);
    const stars = skills.map((skill) => skill.stars ?? 0).sort((a, b) => a - b);
    expect(stars[COUNT - 1]).toBeGreaterThan(50 * (stars[COUNT / 2] ?? 0));
  });

  test('has doubled names and odd records', () => {
    const skills = skillsOf(BASE);
    const share = (isOdd: (skill: Skill) => boolean) => skills.filter(isOdd).length / COUNT;
    expect(new Set(skills.map(({ name }) => name)).size).toBeLessThan(0.95 * COUNT);
    expect(share(({ tags }) => !tags?.length)).toBeGreaterThan(0.005);
    expect(share(({ category }) => !category)).toBeGreaterThan(0.005);
    expect(share(({ description }) => !description || description === '|')).toBeGreaterThan(0.003);
    expect(share(({ name }) => /[^\x20-\x7e]/.test(name))).toBeGreaterThan(0.001);
  });
});

describe('the next edition', () => {
  test('differs from the one before in exactly the records it was told', () => {
    const [first, second, third] = [1, 2, 3].map((edition) => linesOf({ ...BASE, edition })) as [
      string[],
      string[],
      string[],
    ];
    for (const [before, after] of [
      [first, second],
      [second, third],
    ] as const) {
      expect(missing(before, after)).toHaveLength(60);
      expect(missing(after, before)).toHaveLength(70);
      expect(after.length - before.length).toBe(10);
    }
  });

  test('changes no name and no repository', () => {
    const changes = { changed: COUNT, added: 0, removed: 0 };
    const first = skillsOf(BASE);
    const second = skillsOf({ ...BASE, edition: 2, changes });
    expect(second.map(({ name, repo }) => [name, repo])).toEqual(first.map(({ name, repo }) => [name, repo]));
    expect(second.filter(({ description }, at) => description === first[at]?.description)).toHaveLength(0);
  });

  test('is the same as the one before where nothing is to change', () => {
    const changes = { changed: 0, added: 0, removed: 0 };
    expect(linesOf({ ...BASE, edition: 2, changes })).toEqual(linesOf({ ...BASE, changes }));
  });
});
