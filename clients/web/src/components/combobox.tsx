import { useEffect, useId, useState } from 'preact/hooks';
import { useQuery } from '../api/use-query.ts';
import { safeLine } from '../text/safe-text.ts';
import { useTyped } from '../text/use-typed.ts';
import './styles/menu.css';

export interface Choice {
  /** Unique among the choices. */
  key: string;
  label: string;
  detail?: string;
}

interface ComboboxProps {
  label: string;
  /** What is offered at once. */
  fixed: (words: string) => readonly Choice[];
  /** What is found for words. @throws FleetError */
  search: (words: string, signal: AbortSignal) => Promise<readonly Choice[]>;
  onChoose: (key: string) => void;
  autofocus?: boolean;
}

/** A field with choices below it: arrows move through them, Enter takes one. */
export function Combobox({ label, fixed, search, onChoose, autofocus }: ComboboxProps) {
  const id = useId();
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const { text, type } = useTyped(words, setWords, '', 200);
  const found = useQuery(words || null, (signal) => search(words, signal));
  const isAnswered = words !== '' && text.trim() === words && !found.isStale;
  const choices = [...((isAnswered && found.data) || []), ...fixed(text.trim())];
  const active = Math.min(at, choices.length - 1);
  useEffect(() => document.getElementById(id + active)?.scrollIntoView({ block: 'nearest' }), [active]);
  const change = (next: string) => {
    setAt(0);
    type(next);
  };
  const choose = ({ key }: Choice) => {
    change('');
    onChoose(key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const choice = choices[active];
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? choices.length - 1 : 0;
    if (!choice || !(step > 0 || event.key === 'Enter')) return;
    event.preventDefault();
    if (step > 0) setAt((active + step) % choices.length);
    else choose(choice);
  };
  const role = { role: 'combobox', 'aria-autocomplete': 'list', 'aria-expanded': choices.length > 0 } as const;
  const list = { 'aria-controls': `${id}list`, 'aria-activedescendant': choices.length > 0 ? id + active : undefined };
  const field = {
    class: 'input',
    'aria-label': label,
    placeholder: label,
    autocomplete: 'off',
    maxLength: 200,
  } as const;
  const onInput = ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => change(value);
  return (
    <div>
      <input
        {...role}
        {...list}
        {...field}
        value={text}
        autofocus={autofocus}
        onInput={onInput}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}list`} role="listbox" aria-label={label} class="choices" hidden={choices.length === 0}>
        {choices.map((choice, index) => {
          const option = { id: id + index, role: 'option', tabIndex: -1, 'aria-selected': index === active } as const;
          return (
            // biome-ignore lint/a11y: the field has the keys.
            <div key={choice.key} {...option} class="menu-item" onClick={() => choose(choice)}>
              <span class="cut">{safeLine(choice.label)}</span>
              <span class="small muted cut">{safeLine(choice.detail ?? '')}</span>
            </div>
          );
        })}
      </div>
    </div>
  );
}
