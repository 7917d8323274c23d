import { unicodeText } from '@agent-fleet/shared/testing/unicode-text';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type PatchFile, parsePatch, shownLines, toPairs } from '../src/patch/parse-patch.ts';

const summaryOf = (patch: string) =>
  parsePatch(patch).map(({ path, notes, added, removed }) => [path, notes.join(), added, removed]);
const joined = (patch: string) =>
  parsePatch(patch)
    .flatMap(({ lines }) => lines.map(({ text }) => text))
    .join('\n');

const CHANGED = `diff --git a/src/sum.ts b/src/sum.ts
index 1111111..2222222 100644
--- a/src/sum.ts
+++ b/src/sum.ts
@@ -1,4 +1,5 @@ export
 one
-two
+2
+zwei
 three
 four
@@ -20 +21 @@
--- a/not-a-header
+++ b/not-a-header
\\ No newline at end of file
`;

test('reads the files of a patch, and counts the lines that were added and removed', () => {
  const patch = `${CHANGED}diff --git a/old name.md b/new name.md
similarity index 100%
rename from old name.md
rename to new name.md
diff --git a/new.sh b/new.sh
new file mode 100755
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+echo
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/run b/run
old mode 100644
new mode 100755
diff --git "a/gr\\303\\274n.txt" "b/gr\\303\\274n.txt"
--- "a/gr\\303\\274n.txt"
+++ "b/gr\\303\\274n.txt"
@@ -1 +1 @@
-x
+y
`;
  expect(summaryOf(patch)).toEqual([
    ['src/sum.ts', '', 3, 2],
    ['new name.md', 'renamed from old name.md', 0, 0],
    ['new.sh', 'new', 1, 0],
    ['gone.txt', 'deleted', 0, 2],
    ['logo.png', 'binary', 0, 0],
    ['run', 'mode 100755', 0, 0],
    ['grün.txt', '', 1, 1],
  ]);
});

test.each([
  ['"b/say \\"hi\\".txt"', 'say "hi".txt'],
  ['"b/a\\\\303\\303\\274.txt"', 'a\\303ü.txt'],
  ['"b/tab\\there\\n.txt"', 'tab\there\n.txt'],
])('reads the path %s as git has quoted it', (quoted, path) => {
  expect(summaryOf(`diff --git ${quoted.replace('b/', 'a/')} ${quoted}\nnew file mode 100644\n`)).toEqual([
    [path, 'new', 0, 0],
  ]);
});

test('numbers the lines as they are in the file before and after the change', () => {
  const [file] = parsePatch(CHANGED);
  expect(file?.lines.slice(4).map(({ kind, before, after }) => [kind, before, after])).toEqual([
    ['hunk', undefined, undefined],
    ['context', 1, 1],
    ['removed', 2, undefined],
    ['added', undefined, 2],
    ['added', undefined, 3],
    ['context', 3, 4],
    ['context', 4, 5],
    ['hunk', undefined, undefined],
    ['removed', 20, undefined],
    ['added', undefined, 21],
    ['header', undefined, undefined],
  ]);
});

test('separates files that have no line of git', () => {
  const patch =
    '--- a/one\n+++ b/one\n@@ -1 +1 @@\n-a\n+b\n--- a/two\t2026-11-27\n+++ b/two\t2026-11-27\n@@ -1 +0,0 @@\n-c';
  expect(summaryOf(patch)).toEqual([
    ['one', '', 1, 1],
    ['two', '', 0, 1],
  ]);
});

test.each([
  '',
  '\n',
  'no patch at all',
  '@@ -1 +1 @@',
  'diff --git ',
  '+++ ',
  '"',
  '@@ -1,999999999 +1,999999999 @@\n',
])('reads %j, which is no patch of git', (text) => {
  expect(joined(text)).toBe(text.replace(/\n$/, ''));
});

/** Lines that have a meaning, and others. */
const line = fc.oneof(
  fc.constantFrom(...CHANGED.split('\n'), 'rename from "x', '--- /dev/null', 'GIT binary patch', '\r', '"a/\\377"'),
  unicodeText(),
);

test('loses, adds and moves no line of any text', () => {
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const text = lines.join('\n');
      expect(joined(text)).toBe(text.replace(/\n$/, ''));
    }),
  );
});

test.each([
  ['one line of 256 KiB', 'diff --git a/x b/'.padEnd(262_144, ' b/ x b/')],
  ['many files', 'diff --git a/x b/x\n'.repeat(13_797)],
  ['many headers of files', '--- a\n'.repeat(43_690)],
  ['many renames', 'rename from x\n'.repeat(18_724)],
  ['quotes and octal bytes', `--- "${'\\303\\274'.repeat(32_000)}"`],
])('reads %s at once', (_name, patch) => {
  const began = process.cpuUsage().user;
  expect(joined(patch)).toBe(patch.replace(/\n$/, ''));
  expect((process.cpuUsage().user - began) / 1_000).toBeLessThan(500);
});

test('puts what was removed beside what came in its place, and hides the headers of git only', () => {
  const [file] = parsePatch(CHANGED) as [PatchFile];
  const lines = shownLines(file);
  const rows = toPairs(lines).map((row) => row.map((line) => line?.text ?? ''));
  expect(rows.slice(0, 6)).toEqual([
    ['@@ -1,4 +1,5 @@ export'],
    [' one', ' one'],
    ['-two', '+2'],
    ['', '+zwei'],
    [' three', ' three'],
    [' four', ' four'],
  ]);
  expect(lines).toHaveLength(file.lines.length - 4);
  const [other] = parsePatch('no patch\nat all') as [PatchFile];
  expect(shownLines(other)).toEqual(other.lines);
});
