import { useMemo, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { LongText } from '../components/long-text.tsx';
import { Fold } from '../components/panel.tsx';
import { bytes, count, plural } from '../text/numbers.ts';
import { short, utf8Bytes } from '../text/pieces.ts';
import { safeText } from '../text/safe-text.ts';
import { type Container, entriesOf, formatJson, hasEntries, sizeOf } from './json-values.ts';
import './json.css';

/** More is shown on demand. */
const MAX_SHOWN_BYTES = 65_536;
/** Of a small value, the first levels are open. */
const SMALL_BYTES = 4_096;
const OPEN_LEVELS = 2;

interface JsonViewProps {
  value: unknown;
  /** Names the value, such as "input". */
  label: string;
}

/** JSON from elsewhere as a tree that opens level by level. A string is shown as the text it is. */
export function JsonView({ label, value }: JsonViewProps) {
  const text = useMemo(() => formatJson(value), [value]);
  const size = useMemo(() => (text === null ? Number.POSITIVE_INFINITY : utf8Bytes(text)), [text]);
  const [isWanted, setWanted] = useState(false);
  const isShown = isWanted || size <= MAX_SHOWN_BYTES;

  return (
    <figure class="json" aria-label={label}>
      <div class="row json-toolbar">
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
  return hasEntries(value) ? <JsonEntries container={value} openLevels={openLevels} /> : <JsonLeaf value={value} />;
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
          {hasEntries(value) ? (
            <JsonBranch name={key} container={value} openLevels={openLevels} />
          ) : (
            <div class="json-leaf">
              <Key name={key} /> <JsonLeaf value={value} />
            </div>
          )}
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

function JsonBranch({ name, container, openLevels }: JsonEntriesProps & { name: string | number }) {
  const size = useMemo(() => sizeOf(container), [container]);
  const summary = (
    <>
      <Key name={name} /> <span class="muted">{plural(size, Array.isArray(container) ? 'item' : 'key')}</span>
    </>
  );
  return (
    <Fold summary={summary} isOpenAtFirst={openLevels > 0}>
      {() => <JsonEntries container={container} openLevels={openLevels - 1} />}
    </Fold>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  if (typeof value !== 'string') return <span class="json-literal">{JSON.stringify(value)}</span>;
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
  if (typeof name === 'number') return <span class="muted">{name}:</span>;
  return <span class="json-key">{name === '' ? '""' : short(name, MAX_KEY_CHARACTERS)}:</span>;
}
