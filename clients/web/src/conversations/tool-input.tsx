import { LongText } from '../components/long-text.tsx';
import type { InputRequest } from '../frame/open-requests.ts';
import { mixedWord, safeText } from '../text/safe-text.ts';
import './conversations.css';

/** Of longer texts, the transcript shows the beginning first. */
const SHOWN_CHARACTERS = 2_000;
/** By what tools that edit files call the text before a change, and after it. */
const SIGNS: Record<string, string> = { old_string: '-', new_string: '+', content: '+' };
const DIFFS = /^(diff|patch|unified_diff)$/;

interface ToolInputProps {
  input: unknown;
  /** Shows all of it at once: somebody decides by it. */
  isWhole?: boolean;
}

/** The input of a tool: each text as plain text, changes of files in the colours of a patch, the rest as JSON. */
export function ToolInput({ input, isWhole }: ToolInputProps) {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const maxCharacters = isWhole ? Number.POSITIVE_INFINITY : SHOWN_CHARACTERS;
  return (
    <dl class="stack-tight">
      {Object.entries(isObject ? input : { input }).map(([name, value]) => (
        <div key={name}>
          <dt class="small muted">
            <LongText text={name} maxCharacters={maxCharacters} />
          </dt>
          <dd class="tool-text">
            {typeof value === 'string' && (Object.hasOwn(SIGNS, name) || DIFFS.test(name)) ? (
              <Change text={value} sign={SIGNS[name]} />
            ) : (
              <LongText
                text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
                maxCharacters={maxCharacters}
              />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Lines that come or go; of a diff, each says so by its first character. */
function Change({ text, sign }: { text: string; sign: string | undefined }) {
  const safe = safeText(text);
  return (
    <pre>
      {(sign ? [safe] : safe.split('\n')).map((lines, index) => (
        <span key={index} class="tool-line" data-sign={sign ?? lines.charAt(0)}>
          {`${lines}\n`}
        </span>
      ))}
    </pre>
  );
}

/** What runs if a person allows it: nothing that an agent writes can look like this frame. */
export function ToolToAllow({ tool: { name, input, digest } }: { tool: NonNullable<InputRequest['tool']> }) {
  const mixed = mixedWord(`${name} ${JSON.stringify(input)}`);
  return (
    <section class="stack-tight tool-ask" aria-label="What would run">
      <div class="row">
        <span class="small muted">Runs if it is allowed</span>
        <strong class="mono">{safeText(name)}</strong>
        <span class="small muted mono cut end" title={digest}>
          {digest.slice(0, 19)}…
        </span>
      </div>
      {mixed && (
        <p class="tool-mixed small">
          Letters of several scripts, which may look alike: <span class="mono">{mixed}</span>
        </p>
      )}
      <ToolInput input={input} isWhole />
    </section>
  );
}
