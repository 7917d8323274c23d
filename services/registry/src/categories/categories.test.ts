import { describe, expect, it } from '@jest/globals';
import { CategoryCount } from './categories.ts';

const declared = (id: string, name = id, description: string | null = null) => ({ id, name, description });

describe('the categories of a snapshot', () => {
  it('are one in any case, by id or name, in the spelling met first', () => {
    const count = new CategoryCount([declared('code-quality', 'Code quality')]);
    expect(['CODE-quality', 'code QUALITY', 'Other', 'OTHER'].map((given) => count.addCategory(given))).toEqual([
      'code-quality',
      'code-quality',
      'Other',
      'Other',
    ]);
    expect(count.counts).toEqual({ categories: 2, tags: 0 });
  });

  it('keep their id when a later file declares them', () => {
    const count = new CategoryCount();
    expect(count.addCategory('Code Quality')).toBe('Code Quality');
    count.declare([declared('code-quality', 'Code quality', 'All of it')]);
    expect(count.addCategory('code-quality')).toBe('Code Quality');
    expect(count.list().categories).toEqual([
      { id: 'Code Quality', name: 'Code quality', description: 'All of it', count: 2 },
    ]);
  });

  it('stay two where one file declares two, though one is named as the other', () => {
    const count = new CategoryCount([declared('tools'), declared('dev', 'tools')]);
    expect(['Tools', 'Dev'].map((given) => count.addCategory(given))).toEqual(['tools', 'dev']);
  });
});

describe('the tags of a snapshot', () => {
  it('are listed, the most used first, up to ten thousand', () => {
    const count = new CategoryCount();
    for (let at = 0; at < 10_001; at++) count.addTag(`tag ${at}`);
    count.addTag('TAG 10000');
    const { tags } = count.list();
    expect(tags).toHaveLength(10_000);
    expect(tags[0]).toEqual({ name: 'tag 10000', count: 2 });
    expect(count.counts.tags).toBe(10_001);
  });
});
