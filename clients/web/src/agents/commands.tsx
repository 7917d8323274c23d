import { useState } from 'preact/hooks';
import about from '../../package.json' with { type: 'json' };
import { FLEET_URL } from '../api/prefix.ts';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';

const HANDLER = 'clients/worker/examples/echo-handler.sh';

/** Commands for the fleet that serves this page. Their credentials are those of `npm start`, or of `fleet login`. */
export function createAgentCommand(type: string): string {
  return `npx fleet agents create 'My first agent' --type ${type} --url ${FLEET_URL}`;
}

/** For a first try: it needs no key. */
export function echoCommand(type: string): string {
  return `npx fleet worker --url ${FLEET_URL} --type ${type} --exec ${HANDLER}`;
}

const RUNTIMES: Record<string, string> = { claude: 'claude-code', gpt: 'codex', gemini: 'gemini' };

/** A worker that is an agent, for tasks of this type; with `agentId`, for those of one agent. */
export function workerCommand(type = 'claude', agentId?: string, runtime = ''): string {
  const usual = RUNTIMES[type];
  const isUsual = usual !== undefined && (runtime === '' || runtime === usual);
  const only = agentId ? ` --agent ${agentId}` : isUsual ? '' : ` --type ${type}`;
  const how = runtime === 'acp' ? '--acp <program>' : `--runtime ${runtime || (usual ?? RUNTIMES.claude)}`;
  return `npx fleet worker --url ${FLEET_URL}${only} ${how}`;
}

export function addTaskCommand(agent: string): string {
  return `npx fleet tasks add ${agent} 'Say hello' --wait --url ${FLEET_URL}`;
}

/** The same command on a machine with no more than Node. npx keeps a package for each address: of each version. */
function anywhere(command: string): string {
  return command.replace(/^npx/, `npx --package ${FLEET_URL}/download/fleet.tgz#${about.version}`);
}

export function loginCommand(): string {
  return `npx fleet login --url ${FLEET_URL}`;
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
export function WorkerHelp({ types = [] }: { types?: readonly string[] }) {
  return (
    <div class="stack">
      <p>A worker has an agent work on tasks, with the API key of its provider in the environment:</p>
      {(types.length > 0 ? types : ['claude']).map((type) => (
        <CommandLine key={type} command={anywhere(workerCommand(type))} label={`the command for ${type}`} />
      ))}
      <p>It needs Node 20 or later. On a machine that did not start the fleet, sign in first:</p>
      <CommandLine command={anywhere(loginCommand())} label="the command that signs in" />
      <p>A worker can be written in Python, too:</p>
      <CommandLine
        command={`pip install ${FLEET_URL}/download/agent_fleet-${about.version}-py3-none-any.whl`}
        label="the command that installs the Python client"
      />
      <p class="small muted">
        A service uses an <a href="/console/access/keys">API key with the role worker</a> instead, in{' '}
        <code>FLEET_API_KEY</code>.
      </p>
    </div>
  );
}
