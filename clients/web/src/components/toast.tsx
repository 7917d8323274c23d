import { signal } from '@preact/signals';
import './styles/toast.css';

interface Toast {
  id: number;
  text: string;
  tone: 'ok' | 'error';
}

const SHOWN_MS = 6_000;
const MAX_TOASTS = 3;
const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Says for some seconds what has happened. */
export function toast(text: string, tone: Toast['tone'] = 'ok'): void {
  lastId += 1;
  const added = { id: lastId, text, tone };
  toasts.value = [...toasts.value, added].slice(-MAX_TOASTS);
  setTimeout(() => {
    toasts.value = toasts.value.filter(({ id }) => id !== added.id);
  }, SHOWN_MS);
}

/** Once in each page. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, tone }) => (
        <p key={id} class="toast" data-tone={tone}>
          {text}
        </p>
      ))}
    </div>
  );
}
