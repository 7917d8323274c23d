import type { ComponentChildren } from 'preact';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { safeLine } from '../../text/safe-text.ts';

interface ShownOnceDialogProps {
  title: string;
  secret: string;
  /** What the secret is, such as "key". */
  what: string;
  /** What to do with it. */
  children: ComponentChildren;
  /** The caller forgets the secret. */
  onClose: () => void;
}

/** Shows what nobody can see again, until the reader says that it is stored. */
export function ShownOnceDialog({ title, secret, what, children, onClose }: ShownOnceDialogProps) {
  return (
    <Dialog title={title} isSticky onClose={onClose}>
      <div class="stack">
        <p>
          <strong>This {what} is shown this once.</strong> Nobody can look it up later, so copy it now.
        </p>
        <CommandLine command={safeLine(secret)} label={`the ${what}`} />
        <div class="muted small stack-tight">{children}</div>
        <div class="row dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
