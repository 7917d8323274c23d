import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { may } from '../api/session.ts';
import { isTyping, type Keys } from './shortcuts.tsx';

/** The pages in the navigation, with the key that leads there after `g`. */
export const LINKS = [
  ['/console', 'Overview', 'o'],
  ['/console/tasks', 'Tasks', 't'],
  ['/console/agents', 'Agents', 'a'],
  ['/console/workers', 'Workers', 'w'],
  ['/console/registry', 'Registry', 'r'],
  ['/console/access', 'Access', 'u'],
] as const;

export const CONSOLE_KEYS: Keys = [
  ...LINKS.map(([, label, key]) => [`g ${key}`, label] as const),
  ['c', 'Create a task'],
  ['x', 'Select the row'],
];

/** Keys of the console, beside those of every page. */
export function ConsoleKeys() {
  const { route } = useLocation();
  useEffect(() => {
    let isGoing = false;
    const createTask = () => {
      const button = document.querySelector<HTMLElement>('[data-create]');
      if (button) button.click();
      else route('/console/tasks?create=task');
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const page = isGoing && LINKS.find(([, , last]) => last === key)?.[0];
      isGoing = false;
      if (ctrlKey || metaKey || altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      if (page) route(page);
      else if (key === 'g') isGoing = true;
      else if (key === 'c' && may('tasks:write')) createTask();
      else if (key === 'x') document.activeElement?.closest('tr')?.querySelector<HTMLElement>('.select-box')?.click();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, []);
  return null;
}
