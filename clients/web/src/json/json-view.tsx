import { useMemo, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { LongText } from '../components/long-text.tsx';
import { bytes, count, plural } from '../text/numbers.ts';
import { utf8Bytes } from '../text/pieces.ts';
import { safeLine, safeText } from '../text/safe-text.ts';
import { type Container, entriesOf, isContainer, type JsonSource, preview, readJson, sizeOf } from './json-tree.ts';
import './json.css';

/** More is shown on demand. */
const MAX_SHOWN_BYTES = 65_536;
/** Of a small value, the first levels are open. */
const SMALL_BYTES = 4_096;
const OPEN_LEVELS = 2;

type JsonViewProps = JsonSource & {
  /** Names the value, such as "input". */
  label: string;
};

/** JSON from elsewhere as a tree that opens level by level. A string is shown as the text it is. */
export function JsonView({ label, ...source }: JsonViewProps) {
  const given = 'value' in source ? source.value : source.text;
  const { value, text } = useMemo(() => readJson(source), [given]);
  const size = useMemo(() => (text === null ? Number.POSITIVE_INFINITY : utf8Bytes(text)), [text]);
  const [isWanted, setWanted] = useState(false);
  const isShown = isWanted || size <= MAX_SHOWN_BYTES;

  return (
    <figure class="json" aria-label={label}>
      <div class="json-toolbar">
        <span class="small muted">{text === null ? 'Deeply nested' : bytes(size)}</span>
        {size > MAX_SHOWN_BYTES && (
          <Button isSmall aria-expanded={isWanted} aria-label={`Show ${label}`} onClick={() => setWanted(!isWanted)}>
            {isWanted ? 'Hide' : 'Show'}
          </Button>
        )}
        <span class="end">{text !== null && <CopyButton text={text} what={label} />}</span>
      </div>
      {isShown && <JsonRoot value={value} openLevels={size <= SMALL_BYTES ? OPEN_LEVELS : 0} />}
    </figure>
  );
}

function JsonRoot({ value, openLevels }: { value: unknown; openLevels: number }) {
  if (typeof value === 'string') return <LongText text={value} />;
  if (isContainer(value) && sizeOf(value) > 0) return <JsonEntries container={value} openLevels={openLevels} />;
  return <JsonLeaf value={value} />;
}

const ENTRIES_AT_ONCE = 100;
const MAX_KEY_CHARACTERS = 200;
/** Longer strings, and those of several lines, get a block of their own. */
const MAX_INLINE_CHARACTERS = 200;
const MAX_STRING_CHARACTERS = 1_000;

interface JsonEntriesProps {
  container: Container;
  /** So many levels below are open from the start. */
  openLevels: number;
}

function JsonEntries({ container, openLevels }: JsonEntriesProps) {
  const [limit, setLimit] = useState(ENTRIES_AT_ONCE);
  const entries = useMemo(() => entriesOf(container, limit), [container, limit]);
  const size = useMemo(() => sizeOf(container), [container]);
  return (
    <ul class="json-entries">
      {entries.map(([key, value]) => (
        <li key={key}>
          <JsonEntry name={key} value={value} openLevels={openLevels} />
        </li>
      ))}
      {limit < size && (
        <li>
          <Button isSmall onClick={() => setLimit(limit + ENTRIES_AT_ONCE)}>
            Show {Math.min(ENTRIES_AT_ONCE, size - limit)} more ({count(size - limit)} left)
          </Button>
        </li>
      )}
    </ul>
  );
}

interface JsonEntryProps {
  name: string | number;
  value: unknown;
  openLevels: number;
}

function JsonEntry({ name, value, openLevels }: JsonEntryProps) {
  if (isContainer(value) && sizeOf(value) > 0) {
    return <JsonBranch name={name} container={value} openLevels={openLevels} />;
  }
  return (
    <div class="json-leaf">
      <Key name={name} /> <JsonLeaf value={value} />
    </div>
  );
}

/** What is inside is built when it is opened. */
function JsonBranch({
  name,
  container,
  openLevels,
}: {
  name: string | number;
  container: Container;
  openLevels: number;
}) {
  const [isOpen, setOpen] = useState(openLevels > 0);
  const size = useMemo(() => sizeOf(container), [container]);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Key name={name} />{' '}
        <span class="muted">
          {isOpen ? plural(size, Array.isArray(container) ? 'item' : 'key') : safeLine(preview(container))}
        </span>
      </summary>
      {isOpen && <JsonEntries container={container} openLevels={openLevels - 1} />}
    </details>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  if (typeof value !== 'string') {
    return <span class="json-literal">{isContainer(value) ? preview(value) : String(value)}</span>;
  }
  if (value.length <= MAX_INLINE_CHARACTERS && !value.includes('\n')) {
    return <span class="json-string">"{safeText(value)}"</span>;
  }
  return (
    <div class="json-string json-long">
      <LongText text={value} maxCharacters={MAX_STRING_CHARACTERS} />
    </div>
  );
}

function Key({ name }: { name: string | number }) {
  if (typeof name === 'number') return <span class="json-index">{name}</span>;
  const isLong = name.length > MAX_KEY_CHARACTERS;
  const shown = isLong ? `${name.slice(0, MAX_KEY_CHARACTERS)}…` : name;
  return <span class="json-key">{shown === '' ? '""' : safeLine(shown)}:</span>;
}
