import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Whether somebody points at the list, or is in it with the keyboard: its rows stay where they are. */
export function useHold<Box extends HTMLElement = HTMLDivElement>() {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const list = useRef<Box>(null);
  // What is removed under the pointer, or with the focus, sends no event.
  useLayoutEffect(() => {
    if (!list.current) setPointed(false);
    if (!list.current?.contains(document.activeElement)) setFocused(false);
  });
  return {
    isHeld: isPointed || isFocused,
    handlers: {
      ref: list,
      onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      onFocusOut: () => setFocused(false),
    },
  };
}
