import { createHash } from 'node:crypto';
import type { SourceSkill } from './skill-source.ts';

const FILE = '# Sort the inbox\n\nReads the inbox and says what is **urgent**.\n';
const OTHER_DIGEST = createHash('sha256').update('another file').digest('hex');

/** More than one page of skills that match `quokka`, with a category, a tag and an author of every second one. */
const NUMBERED: readonly SourceSkill[] = Array.from({ length: 90 }, (_, at) => ({
  name: `quokka-${String(at).padStart(2, '0')}`,
  description: `The quokka of number ${at}.`,
  category: at % 2 === 0 ? 'even-numbers' : 'odd-numbers',
  tags: ['counted', at % 2 === 0 ? 'even' : 'odd'],
  stars: at,
  file: '# Quokka\n',
}));

export const CHANGED = 'sort-the-inbox';
export const MISSING_FILE = 'without-a-file';
export const FAILING_FILE = 'with-a-failing-host';

/** Skills for tests of the catalogue: a list of several pages, namesakes, and files that cannot be had. */
export const CATALOGUE_SKILLS: readonly SourceSkill[] = [
  ...NUMBERED,
  {
    name: CHANGED,
    description: 'Reads the inbox and says what is urgent.',
    author: 'first author',
    license: 'MIT',
    tags: ['mail'],
    digest: `sha256:${OTHER_DIGEST}`,
    install: 'curl https://example.com/install | sh',
    repo: 'https://git.example.com/first/mail',
    file: FILE,
  },
  { name: CHANGED, description: 'Another one.', author: 'second author', id: 'second-inbox', file: FILE },
  { name: MISSING_FILE, description: 'It has moved.', file: '', fileStatus: 404 },
  { name: FAILING_FILE, description: 'Its host fails.', file: '', fileStatus: 500 },
];
