import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ChangedByOthersError } from '../api/replace-unchanged.ts';
import { Button } from './button.tsx';
import { type ActionProps, FormDialog } from './dialog.tsx';
import { Notice } from './notice.tsx';

interface EditDialogProps<T> extends ActionProps {
  title: string;
  /** Such as "agent". */
  what: string;
  record: T;
  /** Whether it does what should not happen by mistake. */
  isDangerous?: boolean;
  /** Only a button closes it: for long forms. */
  isSticky?: boolean;
  /** Replaces the record unless others have changed it. @throws ChangedByOthersError */
  replace: (original: T) => Promise<void>;
  /** What others have made of it. */
  describe: (current: T) => string;
  /** Takes the values of another version into the form. */
  onLoad: (current: T) => void;
  children: ComponentChildren;
}

/** A form that changes a record, and does not save over what others have changed unless one says so. */
export function EditDialog<T>(props: EditDialogProps<T>) {
  const { what, record, replace, describe, onLoad, onDone, children, ...dialog } = props;
  const [original, setOriginal] = useState(record);
  const isSuperseded = original !== record;

  async function save(): Promise<void> {
    try {
      await replace(original);
    } catch (error) {
      if (error instanceof ChangedByOthersError) setOriginal(error.current as T);
      throw error;
    } finally {
      onDone();
    }
  }

  return (
    <FormDialog action={isSuperseded ? 'Save over it' : 'Save'} onSubmit={save} {...dialog}>
      {isSuperseded && (
        <Notice
          tone="warn"
          title={`Somebody else has changed this ${what}`}
          actions={
            <Button isSmall onClick={() => onLoad(original)}>
              Load their version
            </Button>
          }
        >
          {describe(original)}
        </Notice>
      )}
      {children}
    </FormDialog>
  );
}
