import { describe, expect, it } from '@jest/globals';
import { toId } from './ids.ts';
import { createSkillIndex } from './skill-index.ts';

const idsOf = (records: unknown[]) => [...(createSkillIndex(records)?.byId.keys() ?? [])].sort();

describe('the id of a skill', () => {
  it.each([
    ['owner/repo/my skill', 'owner~repo~my-skill'],
    ['react:components', 'react-components'],
    ['../..', ''],
    ['.', ''],
    ['a//b', 'a~b'],
    ['C++ & Rust', 'C-Rust'],
  ])('of %j is %j', (text, id) => expect(toId(text)).toBe(id));

  it('stays apart from others when letters beyond ASCII are replaced', () => {
    const [left, right] = [toId('owner/剪口播'), toId('owner/安装')];
    expect(left).toMatch(/^owner-[0-9a-f]{8}$/);
    expect(left).not.toBe(right);
    expect(toId('剪口播')).toBe(toId('剪口播'));
  });

  it('is short, however long the text', () => {
    expect(toId('x'.repeat(10_000)).length).toBeLessThan(200);
    expect(toId('x'.repeat(10_000))).not.toBe(toId('x'.repeat(10_001)));
  });
});

describe('skills that would have the same id', () => {
  const records = [
    { name: 'same', source: 'owner/name', path: 'b' },
    { name: 'same', source: 'owner/name', path: 'a' },
    { name: 'same', source: 'owner/name', path: 'c' },
    { name: 'same', source: 'other/name' },
  ];

  it('all get one of their own, whatever their order in the file', () => {
    const ids = idsOf(records);
    expect(ids).toHaveLength(4);
    expect(ids).toContain('owner~name~same');
    expect(ids).toContain('other~name~same');
    expect(idsOf(records.toReversed())).toEqual(ids);
    const byPath = (list: typeof records) =>
      new Map([...(createSkillIndex(list)?.byId ?? [])].map(([id, { json }]) => [JSON.parse(json).source.path, id]));
    expect(byPath(records.toReversed())).toEqual(byPath(records));
  });

  it('are all kept even when they are the same in everything', () => {
    const ids = idsOf(new Array(5).fill({ id: 'twin', name: 'twin' }));
    expect(ids).toHaveLength(5);
    expect(ids).toContain('twin');
  });

  it('do not take the id of a skill that has it by right', () => {
    const [, made] = idsOf([{ id: 'a' }, { id: 'a' }]) as [string, string];
    const contended = [{ id: 'a' }, { id: 'a' }, { id: made.replace('~', '/'), name: 'by right' }];
    expect(idsOf(contended)).toEqual(['a', made, `${made}~2`]);
    expect(createSkillIndex(contended)?.byId.get(made)?.name).toBe('by right');
  });
});
