import { expect, test } from '@jest/globals';
import { addResponses, joinDocuments, type Part } from './join.ts';

const agent = { type: 'object' };
const one: Part = {
  tags: [{ name: 'Agents' }],
  paths: { '/a': { get: { operationId: 'a' } } },
  components: { schemas: { Agent: agent } },
};

test('documents are joined in their order, and the same thing may be in several', () => {
  const two: Part = {
    paths: { '/b': { get: { operationId: 'b' } } },
    components: { schemas: { Agent: { ...agent } } },
  };
  expect(joinDocuments([one, two])).toEqual({
    tags: [{ name: 'Agents' }],
    paths: { ...one.paths, ...two.paths },
    components: one.components,
  });
});

test.each<[string, Part]>([
  ['path of the name /a', { paths: { '/a': { get: { operationId: 'other' } } } }],
  ['operation of the name a', { paths: { '/b': { get: { operationId: 'a', summary: 'Other' } } } }],
  ['component in schemas of the name Agent', { components: { schemas: { Agent: { type: 'string' } } } }],
  ['tag of the name Agents', { tags: [{ name: 'Agents', description: 'Others' } as { name: string }] }],
])('a different %s is an error', (what, two) => {
  expect(() => joinDocuments([one, two])).toThrow(`Two services have a different ${what}`);
});

test('adds responses that an operation lacks, and examples to those it has', () => {
  const json = (examples: object) => ({ description: '', content: { 'application/json': { examples } } });
  const own = { 200: { description: '' }, 503: json({ busy: { value: 1 }, away: { value: 2 } }) };
  const added = {
    502: json({ broken: { value: 3 } }),
    503: json({ busy: { value: 9 }, away: { value: 2 }, full: { value: 4 } }),
  };
  expect(addResponses({ responses: own }, added).responses).toEqual({
    ...own,
    502: added[502],
    503: json({ busy: { value: 1 }, away: { value: 2 }, gateway_busy: { value: 9 }, full: { value: 4 } }),
  });
});
