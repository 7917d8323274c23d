import { useMemo } from 'preact/hooks';
import { LongText } from '../components/long-text.tsx';
import { safeText } from '../text/safe-text.ts';
import type { PatchLine } from './patch-file.ts';
import { useLimit } from './use-limit.tsx';

const LINES_AT_FIRST = 200;
/** Lines that are laid out only when they are near what one sees. */
const LINES_PER_BLOCK = 100;
/** The height of a line, as the style has it. */
const LINE_REM = 1.2;
const MAX_LINE_CHARACTERS = 1_000;

/** The marks of the lines are a part of their texts; their numbers are not, and are not copied with them. */
export function PatchLines({ lines }: { lines: readonly PatchLine[] }) {
  const { limit, more } = useLimit(LINES_AT_FIRST, lines.length, 'line');
  const blocks = Array.from({ length: Math.ceil(Math.min(limit, lines.length) / LINES_PER_BLOCK) }, (_, at) => at);
  return (
    <>
      <div class="patch-lines">
        {blocks.map((at) => (
          <Block key={at} lines={lines} from={at * LINES_PER_BLOCK} isLazy={blocks.length > 2} />
        ))}
      </div>
      {more}
    </>
  );
}

interface BlockProps {
  lines: readonly PatchLine[];
  from: number;
  isLazy: boolean;
}

function Block({ lines, from, isLazy }: BlockProps) {
  const shown = useMemo(
    () =>
      lines.slice(from, from + LINES_PER_BLOCK).map(({ kind, text, before, after }, index) => (
        <div key={index} class={`patch-line patch-${kind}`} data-before={before} data-after={after}>
          {text.length > MAX_LINE_CHARACTERS ? (
            <LongText text={text} maxCharacters={MAX_LINE_CHARACTERS} />
          ) : (
            safeText(text)
          )}
        </div>
      )),
    [lines, from],
  );
  const height = `auto ${shown.length * LINE_REM}rem`;
  return (
    <div class={isLazy ? 'patch-block' : undefined} style={{ containIntrinsicBlockSize: height }}>
      {shown}
    </div>
  );
}
