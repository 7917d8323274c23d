import { copyText, saveFile } from '../../../components/copy.tsx';
import { Menu, MenuItem } from '../../../components/menu.tsx';
import { explain } from '../../../components/notice.tsx';
import { toast } from '../../../components/toast.tsx';
import type { TaskKey } from '../task-record.ts';
import { type LogFilter, toMatcher } from './log-buffer.ts';
import { readAll } from './log-source.ts';

/** How lines are shown: `isFull` when the log is as high as they are. */
export type LogLook = Record<'isWrapped' | 'isFull', boolean>;

interface LogMenuProps {
  task: TaskKey;
  filter: LogFilter;
  look: LogLook;
  onLook: (look: LogLook) => void;
}

/** What can be done with a log. Copies and files have all lines that match, not only those that are loaded. */
export function LogMenu({ task, filter, look, onLook }: LogMenuProps) {
  const withText = (use: (text: string) => unknown) => {
    readAll(task)
      .then((entries) =>
        use(
          entries
            .filter(toMatcher(filter))
            .map(({ at, level, stream, text }) => `${at} ${level} ${stream ?? '-'} ${text}\n`)
            .join(''),
        ),
      )
      .catch((error: unknown) => toast(`The log could not be loaded. ${explain(error)}`, 'error'));
  };
  return (
    <Menu label="More" name="More of the log">
      <MenuItem
        onSelect={() => withText((text) => copyText(text).then((isCopied) => isCopied && toast('Log copied.')))}
      >
        Copy lines
      </MenuItem>
      <MenuItem onSelect={() => withText((text) => saveFile(new Blob([text]), `task-${task.taskId}.log`))}>
        Download
      </MenuItem>
      <MenuItem onSelect={() => onLook({ ...look, isWrapped: !look.isWrapped })}>
        {look.isWrapped ? 'Do not wrap lines' : 'Wrap lines'}
      </MenuItem>
      <MenuItem onSelect={() => onLook({ ...look, isFull: !look.isFull })}>
        {look.isFull ? 'Limited height' : 'Full height'}
      </MenuItem>
    </Menu>
  );
}
