import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { may } from '../api/session.ts';
import { isTyping, type Keys } from './shortcuts.tsx';

/** The pages in the navigation, with the key that leads there after `g`. */
export const LINKS = [
  ['/console', 'Overview', 'o'],
  ['/console/inbox', 'Inbox', 'i'],
  ['/console/tasks', 'Tasks', 't'],
  ['/console/agents', 'Agents', 'a'],
  ['/console/workers', 'Workers', 'w'],
  ['/console/registry', 'Registry', 'r'],
  ['/console/access', 'Access', 'u'],
] as const;

export const CONSOLE_KEYS: Keys = [
  ['Ctrl K, ⌘ K', 'Go to a page, an action, an agent or a task'],
  ...LINKS.map(([, label, key]) => [`g ${key}`, label] as const),
  ['a', 'Allow, in the inbox'],
  ['d', 'Deny, in the inbox'],
  ['c', 'Create a task'],
  ['x', 'Select the row'],
];

/** The list of tasks, which opens the form. */
const CREATE_TASK = '/console/tasks?create=task';

function pages() {
  return [
    ...LINKS.map(([key, label, last]) => ({ key, label, detail: `g ${last}` })),
    ...(may('tasks:write') ? [{ key: CREATE_TASK, label: 'Create task', detail: 'c' }] : []),
    { key: '/console/tasks?status=failed', label: 'Failed tasks' },
    { key: '/console/access/account', label: 'Account' },
    { key: '/', label: 'Skills' },
    { key: '/guide', label: 'Guide' },
    { key: '/docs', label: 'API' },
  ];
}

const palette = signal<ComponentChild>(undefined);

export async function openPalette(): Promise<void> {
  const { Palette } = await import('./palette.tsx');
  palette.value = <Palette pages={pages()} onClose={() => (palette.value = undefined)} />;
}

/** Keys of the console, beside those of every page. */
export function ConsoleKeys() {
  const { route } = useLocation();
  useEffect(() => {
    let isGoing = false;
    const createTask = () => {
      const button = document.querySelector<HTMLElement>('[data-create]');
      if (button) button.click();
      else route(CREATE_TASK);
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const page = isGoing && LINKS.find(([, , last]) => last === key)?.[0];
      const isCommand = ctrlKey || metaKey || altKey;
      isGoing = false;
      if (document.querySelector('dialog[open]')) return;
      if (key.toLowerCase() === 'k' && ctrlKey !== metaKey && !altKey) void openPalette();
      else if (isCommand || isTyping(event.target)) return;
      else if (page) route(page);
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
  return <>{palette.value}</>;
}
