import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { agentCommand, loginCommand, workerCommand } from './commands.ts';

interface StartWorkerButtonProps {
  types?: readonly string[];
  /** Among the actions of a page. */
  isProminent?: boolean;
}

/** A button that shows how to start a worker; without types, one for all of them. */
export function StartWorkerButton({ types, isProminent }: StartWorkerButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button isSmall={!isProminent} onClick={() => setOpen(true)}>
        Start a worker
      </Button>
      {isOpen && <StartWorkerDialog types={types} onClose={() => setOpen(false)} />}
    </>
  );
}

function StartWorkerDialog({ types, onClose }: { types: readonly string[] | undefined; onClose: () => void }) {
  return (
    <Dialog title="Start a worker" onClose={onClose}>
      <WorkerHelp types={types} />
    </Dialog>
  );
}

/** The command that starts a worker of this fleet, and what it needs. */
export function WorkerHelp({ types }: { types?: readonly string[] }) {
  return (
    <div class="stack">
      <p>A worker takes tasks and runs a program for each. This one answers with the message of the task:</p>
      <CommandLine command={workerCommand(types)} label="the command" />
      <p>This one has an agent work on them, with the API key of its provider in the environment:</p>
      <CommandLine command={agentCommand(types)} label="the command of an agent" />
      <p>Run them in a clone of this repository. On a machine that did not start the fleet, sign in first:</p>
      <CommandLine command={loginCommand()} label="the command that signs in" />
      <p class="small muted">
        A service uses an <a href="/console/access/keys">API key with the role worker</a> instead, in{' '}
        <code>FLEET_API_KEY</code>.
      </p>
    </div>
  );
}
