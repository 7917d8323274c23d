import { useState } from 'preact/hooks';

/** Whether somebody points at the list, or is in it with the keyboard: its rows stay where they are. */
export function useHold() {
  const [isPointed, setPointed] = useState(false);
  const [isFocused, setFocused] = useState(false);
  return {
    isHeld: isPointed || isFocused,
    handlers: {
      onPointerEnter: ({ pointerType }: PointerEvent) => setPointed(pointerType === 'mouse'),
      onPointerLeave: () => setPointed(false),
      onFocusIn: () => setFocused(true),
      onFocusOut: () => setFocused(false),
    },
  };
}
