/** Shown as text: markup, a reversed direction of writing, controls, and a word that does not end. */
export const HOSTILE_TEXT = `<script>alert(1)</script> \u202Egnp.exe\u202C \u001b[31mred ${'word'.repeat(120)}`;

export const MARKDOWN = `# Release notes

Reads the commits between two tags and writes what **users** notice, in *their* words. See [the guide](https://example.com).

1. List the commits: \`git log --oneline v2.3..v2.4\`.
2. Group them.
   - [x] Name breaking changes first.
   - [ ] Leave out what only developers notice.

> A release without notes is a release that nobody trusts.

\`\`\`sh
git tag --list 'v*' --sort=-version:refname | head -2
\`\`\`

| Part | Needed | Words |
| :--- | :---: | ---: |
| Added | yes | 120 |
| Changed | no | 80 |

<img src="x" onerror="alert(1)">
`;

export const JSON_VALUE = {
  language: 'en',
  tags: ['v2.3', 'v2.4'],
  limits: { words: 120, hasLinks: true, template: null },
  hostile: HOSTILE_TEXT,
  lines: 'One\nTwo\nThree',
};

export const LONG_TEXT = 'Every line of a log is text, however long it is.\n'.repeat(200);
