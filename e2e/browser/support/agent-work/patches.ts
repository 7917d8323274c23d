/** A patch as git writes it: a file that changes, one that is new, one that moves, and one that is no text. */
export const PATCH = `diff --git a/src/invoices/rounding.ts b/src/invoices/rounding.ts
index 3f1c2ab..9d0e771 100644
--- a/src/invoices/rounding.ts
+++ b/src/invoices/rounding.ts
@@ -12,10 +12,13 @@ export interface Line {
 }
 
 /** The tax of an invoice, in cents. */
-export function taxOf(lines: readonly Line[], rate: number): number {
-  return lines.reduce((sum, { net }) => sum + Math.round(net * rate), 0);
+export function taxOf(lines: readonly Line[], rate: number): number {
+  const net = lines.reduce((sum, line) => sum + line.net, 0);
+  // Once for the invoice: rounding each line adds up to a cent for every two lines.
+  return Math.round(net * rate);
 }
 
 export function totalOf(lines: readonly Line[], rate: number): number {
+  if (lines.length === 0) return 0;
   return taxOf(lines, rate) + lines.reduce((sum, { net }) => sum + net, 0);
 }
diff --git a/test/rounding.test.ts b/test/rounding.test.ts
new file mode 100644
index 0000000..51cd0f2
--- /dev/null
+++ b/test/rounding.test.ts
@@ -0,0 +1,6 @@
+import { expect, test } from '@jest/globals';
+import { taxOf } from '../src/invoices/rounding.ts';
+
+test('rounds the tax of an invoice once', () => {
+  expect(taxOf([{ net: 10.4 }, { net: 10.4 }], 0.07)).toBe(1);
+});
diff --git a/docs/taxes.md b/docs/invoices/taxes.md
similarity index 100%
rename from docs/taxes.md
rename to docs/invoices/taxes.md
diff --git a/docs/invoice.png b/docs/invoice.png
index 1f2d3c4..5b6a798 100644
Binary files a/docs/invoice.png and b/docs/invoice.png differ
`;

const KIBIBYTE = 1_024;

/**
 * A patch of 256 KiB: markup, marks that hide or reverse text, a line of 200 KB, many short lines, and no line feed at
 * its end.
 */
export function hostilePatch(attack: string): string {
  const line = attack.replaceAll('\n', ' ');
  const start = [
    `diff --git "a/${line.replaceAll('"', "'")}" b/other`,
    `--- a/${line}`,
    `+++ b/${line}`,
    `@@ -1,2 +1,3 @@ ${line}`,
    `-${line}`,
    `+${line}`,
    ` ${HIDDEN}`,
    `+${'W'.repeat(200 * KIBIBYTE)}`,
    'Binary files a/x and b/<svg onload=1> differ',
    'diff --git a/many b/many',
    '--- a/many',
    '+++ b/many',
    '@@ -0,0 +1,99999 @@',
  ].join('\n');
  return `${start}\n${'+x\n'.repeat((256 * KIBIBYTE - Buffer.byteLength(start)) / 3 - 8)}+the end`;
}

const HIDDEN = '\u202Ereversed\u2069 zero\u200Bwidth \u0007bell\r';
/** How a line of the hostile patch is shown. */
export const HIDDEN_SHOWN = '⟨U+202E⟩reversed⟨U+2069⟩ zero⟨U+200B⟩width ␇bell␍';
