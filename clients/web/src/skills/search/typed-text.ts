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
export function takeTypedText(): TypedText | undefined {
  const taken = typedText;
  typedText = undefined;
  return taken;
}
