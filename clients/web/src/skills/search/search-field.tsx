import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useTyped } from '../../text/use-typed.ts';

const DELAY_MS = 80;

interface SearchFieldProps {
  /** The words that are searched for. */
  value: string;
  onSearch: (words: string) => void;
}

/** Searches as one types. In the shell the same form stands, for what is typed before the script has arrived. */
export function SearchField({ value, onSearch }: SearchFieldProps) {
  const [typed] = useState(takeTypedText);
  const { text, type, send } = useTyped(value, onSearch, typed?.text || value, DELAY_MS);
  const input = useRef<HTMLInputElement>(null);

  useLayoutEffect(() => {
    if (!typed) return;
    if (typed.isFocused) input.current?.focus({ preventScroll: true });
    if (!typed.selection) return;
    input.current?.setSelectionRange(...typed.selection);
    send(typed.text);
  }, []);

  function onKeyDown(event: KeyboardEvent): void {
    // The browser would empty the field.
    if (event.key === 'Escape') input.current?.blur();
    else if (event.key === 'ArrowDown') document.querySelector<HTMLElement>('[data-row]')?.focus();
    else return;
    event.preventDefault();
  }

  function submit(event: Event): void {
    event.preventDefault();
    send(text);
  }

  return (
    <search>
      <form class="search" action="/" onSubmit={submit}>
        <SearchIcon />
        <input
          ref={input}
          class="search-input"
          type="search"
          name="q"
          value={text}
          aria-label="Search skills"
          placeholder="What should your agent do?"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          enterkeyhint="search"
          maxLength={256}
          data-search
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <span class="search-key wide-only" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}

function SearchIcon() {
  return (
    <svg class="search-icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d="m17 17-4.2-4.2M14.5 8.75a5.75 5.75 0 1 1-11.5 0 5.75 5.75 0 0 1 11.5 0Z" />
    </svg>
  );
}

interface TypedText {
  text: string;
  selection: [start: number, end: number] | undefined;
  isFocused: boolean;
}

let typedText: TypedText | undefined;

/** Keeps what has been typed into the form of the shell, before the page takes its place. */
export function keepTypedText(): void {
  const input = document.querySelector<HTMLInputElement>('#app [name=q]');
  const isFocused = input === document.activeElement;
  if (!input || !(isFocused || input.value)) return;
  const { value: text, selectionStart, selectionEnd } = input;
  const selection: TypedText['selection'] = text
    ? [selectionStart ?? text.length, selectionEnd ?? text.length]
    : undefined;
  typedText = { text, selection, isFocused };
}

/** Undefined if nothing was typed, or the second time. */
function takeTypedText(): TypedText | undefined {
  const taken = typedText;
  typedText = undefined;
  return taken;
}
