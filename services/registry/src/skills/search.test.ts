import { describe, expect, it } from '@jest/globals';
import type { ListQuery } from './contract.ts';
import { findSkills } from './search.ts';
import { createSkillIndex, type SkillIndex } from './skill-index.ts';

const index = createSkillIndex([
  { id: '1', name: 'code-review', stars: 1, updated_at: '2026-01-01' },
  { id: '2', name: 'Code Review Checklist', stars: 50 },
  { id: '3', name: 'thorough code review', stars: 50, updated_at: '2026-02-01' },
  { id: '4', name: 'linter', description: 'Helps with code and its review.', tags: ['Style'], author: 'Ann', stars: 9 },
  { id: '5', name: 'other' },
]) as SkillIndex;

const find = (query: Partial<ListQuery>) => findSkills(index, { skip: 0, ...query }).map(({ id }) => id);

describe('searching', () => {
  it('puts the exact name first, then names that begin with it, then names that hold it, then the rest', () => {
    expect(find({ q: 'code review' })).toEqual(['1', '2', '3', '4']);
    expect(find({ q: 'CODE_REVIEW' })).toEqual(['1', '2', '3']);
    expect(find({ q: 'code review', order: 'asc' })).toEqual(['4', '3', '2', '1']);
  });

  it('finds only what holds every word, wherever it holds it', () => {
    expect(find({ q: 'style ann review' })).toEqual(['4']);
    expect(find({ q: 'style other' })).toEqual([]);
  });

  it('goes with filters and sorts', () => {
    expect(find({ q: 'review', sort: 'stars' })).toEqual(['2', '3', '4', '1']);
    expect(find({ q: 'review', tag: 'style' })).toEqual(['4']);
  });
});

describe('sorting', () => {
  it('puts unknown values last in either order and equal ones by name', () => {
    expect(find({ sort: 'stars' })).toEqual(['2', '3', '4', '1', '5']);
    expect(find({ sort: 'stars', order: 'asc' })).toEqual(['1', '4', '2', '3', '5']);
    expect(find({ sort: 'updated' }).slice(0, 2)).toEqual(['3', '1']);
  });

  it('is by name when nothing is searched for', () => {
    expect(find({})).toEqual(['1', '2', '4', '5', '3']);
    expect(find({ sort: 'relevance' })).toEqual(['1', '2', '4', '5', '3']);
    expect(find({ sort: 'name', order: 'desc' })).toEqual(['3', '5', '4', '2', '1']);
  });
});
