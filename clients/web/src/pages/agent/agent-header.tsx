import type { Agent } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { type AgentAction, type Pause, readTaskCount } from '../../agents/agent-actions.tsx';
import { may } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { count } from '../../text/numbers.ts';
import { capital } from '../../text/pieces.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { statusWord } from '../../text/statuses.ts';

interface AgentButtonsProps {
  /** It is resumed in the notice that says so. */
  isPaused: boolean;
  /** Until the agent is known. */
  isDisabled: boolean;
  onAdd: () => void;
  onChoose: (action: AgentAction) => void;
}

export function AgentButtons({ isPaused, isDisabled, onAdd, onChoose }: AgentButtonsProps) {
  const shared = { disabled: isDisabled };
  return (
    <>
      {may('agents:write') && (
        <>
          <Button {...shared} onClick={() => onChoose('edit')}>
            Edit
          </Button>
          {!isPaused && (
            <Button {...shared} onClick={() => onChoose('pause')}>
              Pause
            </Button>
          )}
          <Button {...shared} onClick={() => onChoose('delete')}>
            Delete
          </Button>
        </>
      )}
      {may('tasks:write') && (
        <Button {...shared} kind="primary" onClick={onAdd} data-create>
          Create task
        </Button>
      )}
    </>
  );
}

/** Why the tasks of an agent do not start. */
export function PauseNotice({ pause, onResume }: { pause: Pause; onResume: (() => void) | undefined }) {
  return (
    <Notice
      tone="warn"
      title="This agent is paused: its tasks wait"
      actions={onResume && <Button onClick={onResume}>Resume</Button>}
    >
      {pause.reason && <LongText text={pause.reason} />}
      <p class="small muted">
        Paused <RelativeTime at={pause.paused_at} />
      </p>
    </Notice>
  );
}

const STATUSES = ['pending', 'running', 'input_required'] as const;

/** What an agent is, and how much it has to do. */
export function AgentFacts({ agent: { id, type, created_at } }: { agent: Agent }) {
  const counts = useTaskCounts(id);
  const href = (status: string) => `/console/tasks?agent_id=${id}&status=${status}`;
  return (
    <dl class="agent-facts">
      <Fact name="Type">{safeLine(type)}</Fact>
      <Fact name="Created">
        <RelativeTime at={created_at} />
      </Fact>
      {STATUSES.map((status, index) => (
        <Fact key={status} name={capital(statusWord(status))}>
          <a href={href(status)}>{counts ? count(counts[index] ?? 0) : '…'}</a>
        </Fact>
      ))}
      <Fact name="Id">
        <code class="cut">{id}</code>
        <CopyButton text={id} what="the id" />
      </Fact>
    </dl>
  );
}

function useTaskCounts(agentId: string): readonly number[] | undefined {
  const { data } = useQuery(
    `counts of ${agentId}`,
    (signal) => Promise.all(STATUSES.map((status) => readTaskCount(agentId, status, signal))),
    {
      everyMs: 15_000,
      minIntervalMs: 2_000,
      reloadOn: ({ type, agent_id }) => agent_id === agentId && type.startsWith('task.') && type !== 'task.progress',
    },
  );
  return data;
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="agent-fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
