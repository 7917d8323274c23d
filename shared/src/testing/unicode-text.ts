import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

const codePoint = fc.nat(0x10ffff - SURROGATES.count).map((at) => {
  return String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count);
});

/**
 * Texts of any code points but surrogates. The unit `binary` of fast-check means the same, and first builds a table of
 * all of them, which takes each process a second and 82 MB (measured).
 */
export function unicodeText(constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> {
  return fc.string({ ...constraints, unit: codePoint });
}
