export interface PatchLine {
  /** Headers are also lines that have no meaning in a patch. */
  kind: 'header' | 'hunk' | 'context' | 'added' | 'removed';
  /** As it is in the patch, with its mark. */
  text: string;
  /** Its number in the file before the change, and after it. */
  before?: number;
  after?: number;
}

/** What a patch does with one file. Its texts are not yet safe to show. */
export interface PatchFile {
  /** After the change; empty where the patch does not say. */
  path: string;
  /** Such as "new" or "renamed from a.ts"; none for a file whose lines change. */
  notes: string[];
  added: number;
  removed: number;
  lines: PatchLine[];
}
