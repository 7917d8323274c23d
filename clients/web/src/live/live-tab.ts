import type { LiveState } from './messages.ts';

/** This tab's part in the live events. */
export interface LiveTab {
  close(): void;
}

export interface TabHandlers {
  onState: (state: LiveState) => void;
  onSignedOut: () => void;
}
