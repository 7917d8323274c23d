import { useRef, useState } from 'preact/hooks';

interface Submission {
  /** Why the last one failed. */
  error: unknown;
  isBusy: boolean;
  /** For the event `submit` of a form. */
  submit: (event: Event) => void;
}

/** Submits a form, once at a time. */
export function useSubmit(send: () => Promise<void>): Submission {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  // The state is still that of the last rendering when two clicks come at once.
  const isSending = useRef(false);

  async function run(): Promise<void> {
    if (isSending.current) return;
    isSending.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (failure) {
      setError(failure);
    }
    isSending.current = false;
    setBusy(false);
  }

  function submit(event: Event): void {
    event.preventDefault();
    void run();
  }

  return { error, isBusy, submit };
}
