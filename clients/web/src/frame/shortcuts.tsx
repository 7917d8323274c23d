import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import './frame.css';

export type Keys = readonly (readonly [keys: string, meaning: string])[];

const KEYS: Keys = [
  ['/', 'Search or filter'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['Esc', 'Close, or leave the field'],
  ['?', 'Show these keys'],
];

/** Keys that work on every page: `/` goes to the field with `data-search`, `j` and `k` go through `[data-row]`. */
export function Shortcuts({ more = [] }: { more?: Keys }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event.target)) {
        if (event.key === 'Escape') (event.target as HTMLElement).blur();
        return;
      }
      if (document.querySelector('dialog[open]')) return;
      if (event.key === '?') setOpen(true);
      else if (event.key === '/') focusElement('[data-search]');
      else if (event.key === 'j' || (event.key === 'ArrowDown' && isOnRow())) moveRow(1);
      else if (event.key === 'k' || (event.key === 'ArrowUp' && isOnRow())) moveRow(-1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  if (!isOpen) return null;
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl class="shortcuts">
        {[...KEYS, ...more].map(([keys, meaning]) => (
          <div key={keys} class="row">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type="checkbox"]), textarea, select');
}

function focusElement(selector: string): void {
  const element = document.querySelector<HTMLInputElement>(selector);
  element?.focus();
  element?.select?.();
}

function isOnRow(): boolean {
  return document.activeElement?.matches('[data-row]') === true;
}

function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent !== null);
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
