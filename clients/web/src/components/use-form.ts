import { useRef, useState } from 'preact/hooks';

/** What a field of text or choice needs. */
interface FieldState<Value> {
  value: Value;
  error: string | undefined;
  onInput: (value: Value) => void;
}

export interface Fields<Values> {
  values: Values;
  set: (changes: Partial<Values>) => void;
  /** Why values were refused, at their fields. */
  errors: FieldErrors<Values>;
  setErrors: (errors: FieldErrors<Values>) => void;
  /** `<TextField {...field('name')} />` */
  field: <Name extends keyof Values>(name: Name) => FieldState<Values[Name]>;
}

type FieldErrors<Values> = Partial<Record<keyof Values, string>>;

/** The state of the fields of a form. */
export function useFields<Values extends object>(initial: Values): Fields<Values> {
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<FieldErrors<Values>>({});
  const set = (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes }));
  return {
    values,
    set,
    errors,
    setErrors,
    field: (name) => ({
      value: values[name],
      error: errors[name],
      onInput: (value) => set({ [name]: value } as unknown as Partial<Values>),
    }),
  };
}

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
