import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { TextArea } from './field.tsx';
import { FormError } from './notice.tsx';
import { useSubmit } from './use-form.ts';
import './styles/dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Only a button in it closes it: for what cannot be shown again. */
  isSticky?: boolean;
}

/** A modal dialog; mounted while it is open. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, isSticky, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isUnmounted = useRef(false);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => {
      // The event of this `close` comes later, when what `onClose` would change may be another page's.
      isUnmounted.current = true;
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby={id}
      // Chromium closes a dialog at the second Escape, even if `cancel` was prevented.
      onKeyDown={(event) => isSticky && event.key === 'Escape' && event.preventDefault()}
      onCancel={(event) => isSticky && event.preventDefault()}
      onClose={() => isUnmounted.current || onClose()}
    >
      <header class="dialog-header">
        <h2 id={id}>{title}</h2>
        {!isSticky && (
          <Button kind="quiet" isSmall aria-label="Close" onClick={onClose}>
            ✕
          </Button>
        )}
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface Shown {
  render: (close: () => void) => ComponentChildren;
}

/** The dialog that a page shows: `open((close) => <KeyDialog onClose={close} />)`. Opening one closes another. */
export function useDialog(): { dialog: ComponentChildren; open: (render: Shown['render']) => void } {
  const [shown, setShown] = useState<Shown>();
  // A dialog that has opened another one before it closes does not close that one.
  const close = () => setShown((current) => (current === shown ? undefined : current));
  return { dialog: shown?.render(close), open: (render) => setShown({ render }) };
}

/** Of a dialog about a record. */
export interface ActionProps {
  /** Something has changed. */
  onDone: () => void;
  onClose: () => void;
}

interface FormDialogProps extends DialogProps {
  /** The text of the button that submits. */
  action: string;
  /** The text of the other button where "Cancel" could be taken for the action. */
  dismissLabel?: string;
  isDangerous?: boolean;
  isDisabled?: boolean;
  /** Closes the dialog when it resolves; an error is shown in it. */
  onSubmit: () => Promise<void>;
}

/** A dialog with a form; also for questions before what cannot be undone. */
export function FormDialog({
  action,
  dismissLabel = 'Cancel',
  isDangerous,
  isDisabled,
  onSubmit,
  children,
  ...dialog
}: FormDialogProps) {
  const { error, isBusy, submit } = useSubmit(async () => {
    if (isDisabled) return;
    await onSubmit();
    dialog.onClose();
  });

  return (
    <Dialog {...dialog}>
      <form class="stack" onSubmit={submit}>
        {children}
        <FormError error={error} />
        <div class="row dialog-actions">
          <Button onClick={dialog.onClose}>{dismissLabel}</Button>
          <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} isBusy={isBusy} disabled={isDisabled}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ReasonDialogProps extends Omit<FormDialogProps, 'onSubmit'> {
  hint: string;
  maxLength: number;
  onSubmit: (reason: string | null) => Promise<void>;
}

/** A question before what others may ask about. */
export function ReasonDialog({ hint, maxLength, onSubmit, children, ...dialog }: ReasonDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <FormDialog {...dialog} onSubmit={() => onSubmit(reason.trim() || null)}>
      {children}
      <TextArea
        label="Reason"
        hint={hint}
        rows={3}
        maxLength={maxLength}
        autofocus
        value={reason}
        onInput={setReason}
      />
    </FormDialog>
  );
}
