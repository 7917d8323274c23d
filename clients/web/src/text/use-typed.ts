import { useEffect, useRef, useState } from 'preact/hooks';

/** The text of a field: it counts `delayMs` after a key, or when it is sent. It follows what else changes `value`. */
export function useTyped(value: string, onChange: (value: string) => void, initial = value, delayMs?: number) {
  const [text, setText] = useState(initial);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const state = useRef({ sent: value, onChange }).current;
  state.onChange = onChange;
  const send = (next: string) => {
    clearTimeout(timer.current);
    if (next.trim() === state.sent) return;
    state.sent = next.trim();
    state.onChange(state.sent);
  };
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    if (delayMs !== undefined) timer.current = setTimeout(() => send(next), delayMs);
  };
  useEffect(() => {
    if (value !== state.sent) setText(value);
    state.sent = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { text, type, send };
}
