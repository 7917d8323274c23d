import { expect, test } from '@jest/globals';
import { mainPart, replacePart, singlePart } from './results-file.ts';

const about: [string, string][] = [];

test('a part replaces the previous one and keeps the others', () => {
  const first = [mainPart(['## A\n\nold'], about), singlePart('scale', '## B'), singlePart('soak', '## C')].join('\n');
  const file = replacePart(first, 'main', mainPart(['## A\n\nnew'], about));
  expect(file).toContain('## A\n\nnew\n\n# Results of `npm run bench -- scale`\n');
  expect(file).toContain('## B\n\n# Results of `npm run bench -- soak`\n');
  expect(file).not.toContain('old');
  expect(file.endsWith('## C\n')).toBe(true);
});

test('a new part is added at its position', () => {
  const first = replacePart('', 'soak', singlePart('soak', '## C'));
  const file = replacePart(replacePart(first, 'main', mainPart(['## A'], about)), 'scale', singlePart('scale', '## B'));
  expect(file.match(/^##? .*$/gm)).toEqual([
    '# Results of `npm run bench`',
    '## A',
    '# Results of `npm run bench -- scale`',
    '## B',
    '# Results of `npm run bench -- soak`',
    '## C',
  ]);
});
