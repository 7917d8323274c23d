import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';

const HANDLER = 'clients/worker/examples/echo-handler.sh';

/** Commands for the fleet that serves this page. Their credentials are those of `npm start`, or of `fleet login`. */
export function createAgentCommand(type: string): string {
  return `npx fleet agents create 'My first agent' --type ${type} --url ${location.origin}`;
}

/** Without types, for all of them. */
export function workerCommand(types: readonly string[] = []): string {
  const flags = types.map((type) => ` --type ${type}`).join('');
  return `npx fleet worker --url ${location.origin}${flags} --exec ${HANDLER}`;
}

const RUNTIMES: Record<string, string> = { gpt: 'codex', gemini: 'gemini' };

/** A worker that is an agent, of the first of these types. */
function agentCommand([type = '']: readonly string[] = []): string {
  return `npx fleet worker --url ${location.origin} --runtime ${RUNTIMES[type] ?? 'claude-code'}`;
}

export function addTaskCommand(agent: string): string {
  return `npx fleet tasks add ${agent} 'Say hello' --wait --url ${location.origin}`;
}

export function loginCommand(): string {
  return `npx fleet login --url ${location.origin}`;
}

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
