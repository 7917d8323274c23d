import { useMemo, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { LongText } from '../components/long-text.tsx';
import { bytes } from '../text/numbers.ts';
import { utf8Bytes } from '../text/pieces.ts';
import { JsonEntries, JsonLeaf } from './json-nodes.tsx';
import { type JsonSource, readJson } from './json-text.ts';
import { isContainer, sizeOf } from './json-tree.ts';

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
