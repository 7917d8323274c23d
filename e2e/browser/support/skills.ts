import type { SourceSkill } from './skill-source.ts';

const FILE = `---
name: release-notes
description: Writes release notes from the commits between two tags. Use when a version is about to be published.
license: MIT
---

# Release notes

Reads the commits between two tags and writes what **users** notice, in their words.

## Steps

1. List the commits: \`git log --oneline v2.3..v2.4\`.
2. Group them: *Added*, *Changed*, *Fixed*.
   - Leave out what only developers notice.
   - [x] Name breaking changes first.
3. Write one line for each, see [the guide](https://example.com/guide "The guide") and [the template](./template.md).

> A release without notes is a release that nobody trusts.

\`\`\`sh
git tag --list 'v*' --sort=-version:refname | head -2   # the two newest tags, which is all that most releases need
\`\`\`

| Part | Needed | Words |
| :--- | :---: | ---: |
| Added | yes | 120 |
| Changed | no | 80 |

![A diagram](https://example.com/diagram.png)

### When it fails[^1]

~~Guess.~~ Ask for the two tags.

[^1]: Mostly in repositories without tags.
`;

/** A skill that has all that a skill page shows. */
export const SKILL = {
  name: 'release-notes',
  description: 'Writes release notes from the commits between two tags. Use when a version is about to be published.',
  category: 'documentation',
  tags: ['git', 'writing', 'releases'],
  author: 'example',
  license: 'MIT',
  version: '2.1.0',
  stars: 4_210,
  repo: 'example/skills',
  commit: '8f2f0c6d5a0f4a9e3f0f7f2f4c1a0b9d8e7c6f5a',
  file: FILE,
} satisfies SourceSkill;

/** It is shown, with words for all that is wrong with it. */
export const FAULTY_SKILL: SourceSkill = {
  name: 'Does_Everything',
  description: '',
  file: 'No front matter at all.',
};
