import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { CopyButton, saveFile } from '../components/copy.tsx';
import { LongText } from '../components/long-text.tsx';
import { Panel } from '../components/panel.tsx';
import { highlight } from '../text/highlight.tsx';
import { count, plural } from '../text/numbers.ts';
import { short } from '../text/pieces.ts';
import { safeText } from '../text/safe-text.ts';
import { type PatchFile, type PatchLine, type PatchRow, parsePatch, shownLines, toPairs } from './parse-patch.ts';
import './patch.css';

const FILES_AT_FIRST = 50;
/** Files are open from the start as long as they have no more lines than this together. */
const OPEN_LINES = 400;
const MAX_PATH = 300;

interface PatchPanelProps {
  patch: string;
  /** Whether a part of it is missing. */
  isPatchCut: boolean;
  /** All files that were changed, as far as they are known otherwise. */
  files: readonly PatchFile[];
  /** Of the file that is saved. */
  fileName: string;
}

/** What was changed in files: a patch from anywhere. */
export function PatchPanel({ patch, isPatchCut, files: listed, fileName }: PatchPanelProps) {
  const files = useMemo(() => openFirst(withListed(patch ? parsePatch(patch) : [], listed)), [patch, listed]);
  const { limit, more } = useLimit(FILES_AT_FIRST, files.length, 'file');
  const [isSplit, setSplit] = useState(false);
  const sum = (name: 'added' | 'removed') => files.reduce((total, { file }) => total + file[name], 0);
  return (
    <Panel
      title="Changes"
      isFlush
      actions={
        <>
          <span class="small muted">{plural(files.length, 'file')}</span>
          <Counts added={sum('added')} removed={sum('removed')} />
          <span class="wide-only">
            <Button kind="quiet" isSmall aria-pressed={isSplit} onClick={() => setSplit(!isSplit)}>
              Side by side
            </Button>
          </span>
          <CopyButton text={patch} what="the patch" />
          <Button kind="quiet" isSmall onClick={() => saveFile(new Blob([patch]), fileName)}>
            Download
          </Button>
        </>
      }
    >
      {files.slice(0, limit).map(({ file, isOpen }, index) => (
        <FileChange key={index} file={file} isOpenAtFirst={isOpen} isSplit={isSplit} />
      ))}
      {more}
      {isPatchCut && <p class="patch-more muted">The patch was too long: some of it is missing.</p>}
    </Panel>
  );
}

/** With the files that the patch does not have. */
function withListed(files: readonly PatchFile[], listed: readonly PatchFile[]): PatchFile[] {
  const paths = new Set(files.map(({ path }) => path));
  return [...files, ...listed.filter(({ path }) => !paths.has(path))];
}

function openFirst(files: readonly PatchFile[]): { file: PatchFile; isOpen: boolean }[] {
  let lines = 0;
  return files.map((file) => {
    lines += file.lines.length;
    return { file, isOpen: file.lines.length > 0 && lines <= OPEN_LINES };
  });
}

type FileChangeProps = { file: PatchFile; isOpenAtFirst: boolean; isSplit: boolean };

interface FilePatchProps {
  path: string;
  added: number;
  removed: number;
  diff: string;
  isOpenAtFirst?: boolean;
}

/** A change of one file, as a unified diff of it. */
export function FilePatch({ path, added, removed, diff, isOpenAtFirst = false }: FilePatchProps) {
  const file = useMemo(() => {
    const lines = diff ? parsePatch(diff).flatMap((one) => one.lines) : [];
    const hasHunk = lines.some(({ kind }) => kind === 'hunk');
    return { path: hasHunk || !diff ? path : '', notes: hasHunk || !diff ? [] : [path], added, removed, lines };
  }, [path, added, removed, diff]);
  return <FileChange file={file} isOpenAtFirst={isOpenAtFirst} isSplit={false} />;
}

/** Its lines are made when it is opened. */
function FileChange({ file, isOpenAtFirst, isSplit }: FileChangeProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const rows = useMemo(() => {
    const lines = shownLines(file);
    return isSplit ? toPairs(lines) : lines.map((line): PatchRow => [line]);
  }, [file, isSplit]);
  return (
    <details class="patch-file" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class="patch-path mono">{short(file.path, MAX_PATH) || 'Other lines'}</span>
        {file.notes.map((note) => (
          <Badge key={note}>{short(note, MAX_PATH)}</Badge>
        ))}
        <Counts added={file.added} removed={file.removed} />
      </summary>
      {isOpen && rows.length > 0 && <PatchLines rows={rows} path={file.path} />}
      {file.lines.length === 0 && <p class="patch-more muted">The patch does not have its lines.</p>}
    </details>
  );
}

function Counts({ added, removed }: { added: number; removed: number }) {
  if (added + removed === 0) return null;
  return (
    <span class="patch-counts number">
      {added > 0 && <ins>+{count(added)}</ins>} {removed > 0 && <del>−{count(removed)}</del>}
    </span>
  );
}

const LINES_AT_FIRST = 200;
/** Lines that are laid out only when they are near what one sees. */
const LINES_PER_BLOCK = 100;
/** The height of a line, as the style has it. */
const LINE_REM = 1.2;
const MAX_LINE_CHARACTERS = 1_000;

/** The marks of the lines are a part of their texts; their numbers are not, and are not copied with them. */
function PatchLines({ rows, path }: { rows: readonly PatchRow[]; path: string }) {
  const { limit, more } = useLimit(LINES_AT_FIRST, rows.length, 'line');
  const blocks = Array.from({ length: Math.ceil(Math.min(limit, rows.length) / LINES_PER_BLOCK) }, (_, at) => at);
  return (
    <>
      <div class="patch-lines">
        {blocks.map((at) => (
          <Block key={at} rows={rows} path={path} from={at * LINES_PER_BLOCK} isLazy={blocks.length > 2} />
        ))}
      </div>
      {more}
    </>
  );
}

/** Undefined: there is no line beside the other one. No component: there may be many thousands. */
function toLine(line: PatchLine | undefined, path: string, key: number) {
  if (!line) return <div key={key} class="patch-line patch-hunk" />;
  const { kind, text, before, after } = line;
  const isCode = kind !== 'header' && kind !== 'hunk';
  return (
    <div key={key} class={`patch-line patch-${kind}`} data-before={before} data-after={after}>
      {text.length > MAX_LINE_CHARACTERS ? (
        <LongText text={text} maxCharacters={MAX_LINE_CHARACTERS} />
      ) : isCode ? (
        <>
          {text.charAt(0)}
          {highlight(safeText(text.slice(1)), path)}
        </>
      ) : (
        safeText(text)
      )}
    </div>
  );
}

interface BlockProps {
  rows: readonly PatchRow[];
  path: string;
  from: number;
  isLazy: boolean;
}

function Block({ rows, path, from, isLazy }: BlockProps) {
  const shown = useMemo(
    () =>
      rows.slice(from, from + LINES_PER_BLOCK).map(([line, ...others], index) =>
        others.length === 0 ? (
          toLine(line, path, index)
        ) : (
          <div key={index} class="patch-row">
            {toLine(line && { ...line, after: undefined }, path, 0)}
            {toLine(others[0] && { ...others[0], before: others[0].after, after: undefined }, path, 1)}
          </div>
        ),
      ),
    [rows, from, path],
  );
  const height = `auto ${shown.length * LINE_REM}rem`;
  return (
    <div class={isLazy ? 'patch-block' : undefined} style={{ containIntrinsicBlockSize: height }}>
      {shown}
    </div>
  );
}

/** How much of a long list is shown: `first` things, and ten times as many after each press of the button. */
function useLimit(first: number, total: number, what: string): { limit: number; more: ComponentChildren } {
  const [limit, setLimit] = useState(first);
  const next = limit * 10;
  const more = limit < total && (
    <div class="patch-more">
      <Button isSmall onClick={() => setLimit(next)}>
        {next < total ? `Show ${count(next)} of ${plural(total, what)}` : `Show all ${plural(total, what)}`}
      </Button>
    </div>
  );
  return { limit, more };
}
