import { useMemo, useState } from 'preact/hooks';
import { AnsiText } from '../text/ansi.tsx';
import { bytes } from '../text/numbers.ts';
import { beginning, toPieces, utf8Bytes } from '../text/pieces.ts';
import { safeText } from '../text/safe-text.ts';
import { Button } from './button.tsx';
import './styles/long-text.css';

interface LongTextProps {
  text: string;
  /** How much is shown at first; default 4,000. */
  maxCharacters?: number;
  /** The output of a program, which may have colours. */
  isMono?: boolean;
}

/** A text from elsewhere as it is, with its line breaks; a long one is cut, and shown as a whole on demand. */
export function LongText({ text, maxCharacters = 4_000, isMono }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > maxCharacters;
  const isCut = isLong && !isWhole;
  const pieces = useMemo(() => {
    const shown = isCut ? beginning(text, maxCharacters) : text;
    return toPieces(isMono ? shown : safeText(shown));
  }, [text, isCut, maxCharacters, isMono]);
  return (
    <div class={isMono ? 'long-text mono' : 'long-text'}>
      {pieces.map((piece, index) => (
        <div key={index} class={pieces.length > 1 ? 'text-piece text-piece-lazy' : 'text-piece'}>
          {isMono ? <AnsiText text={piece} /> : piece}
        </div>
      ))}
      {isLong && (
        <Button isSmall aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all (${bytes(utf8Bytes(text))})`}
        </Button>
      )}
    </div>
  );
}
