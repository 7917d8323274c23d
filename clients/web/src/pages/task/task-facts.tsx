import type { Task } from '@agent-fleet/sdk';
import { type AgentName, agentLabel } from '../../agents/agent-names.ts';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { SkillList } from '../../tasks/skill-list.tsx';
import { taskHref } from '../../tasks/task-cells.tsx';
import { costText, count, dollars, plural } from '../../text/numbers.ts';
import { LaterTime, RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { duration } from '../../text/times.ts';

interface TaskFactsProps {
  record: Task;
  agent: AgentName | null | undefined;
}

export function TaskFacts({ record, agent }: TaskFactsProps) {
  const facts: Fact[] = [...partsOf(record, agent), ...workOf(record), ...timesOf(record), ...rulesOf(record)];
  return <Facts facts={facts} />;
}

function partsOf(record: Task, agent: AgentName | null | undefined): Fact[] {
  const { agent_id, agent_version: version, worker_id, tags, retry_of, continue_of } = record;
  return [
    ['Agent', <a href={`/console/agents/${agent_id}`}>{agentLabel(agent_id, agent)}</a>],
    ['Version', version && <a href={`/console/agents/${agent_id}?part=definition&version=${version}`}>{version}</a>],
    ['Type', agent?.type],
    ['Worker', worker_id && <FilterLink name="worker_id" value={worker_id} />],
    ['Tags', tags?.length ? <Tags tags={tags} /> : undefined],
    ['Retry of', retry_of && <OtherTask agentId={agent_id} taskId={retry_of} />],
    ['Continues', continue_of && <OtherTask agentId={agent_id} taskId={continue_of} />],
  ];
}

/** For workers that are agents. */
function workOf({ model, skills, workspace }: Task): Fact[] {
  const named = skills?.map((skill) => (typeof skill === 'string' ? { id: skill } : skill));
  return [
    ['Model', model && safeLine(model)],
    ['Skills', named?.length ? <SkillList skills={named} /> : undefined],
    ['Repository', workspace && <span class="mono">{safeLine(workspace.repository)}</span>],
    ['Ref', workspace?.ref && <span class="mono">{safeLine(workspace.ref)}</span>],
  ];
}

function timesOf(record: Task): Fact[] {
  const { created_at, started_at, completed_at, scheduled_at, expires_at, status } = record;
  const time = (at: string | null) => at && <RelativeTime at={at} />;
  return [
    ['Created', time(created_at)],
    ['Scheduled', time(scheduled_at)],
    ['Started', started_at && <LaterTime at={started_at} after={created_at} />],
    ['Ended', completed_at && <LaterTime at={completed_at} after={started_at ?? created_at} />],
    ['Expires', status === 'pending' ? time(expires_at) : undefined],
  ];
}

function rulesOf({ priority, attempt, max_attempts, timeout_seconds, retry_policy }: Task): Fact[] {
  return [
    ['Priority', priority],
    ['Attempts', `${attempt} of ${max_attempts}`],
    ['Timeout', `${wholeSeconds(timeout_seconds)} an attempt`],
    ['Retries', max_attempts > 1 ? retryWords(retry_policy) : undefined],
  ];
}

function retryWords({ strategy, delay_seconds, max_delay_seconds }: Task['retry_policy']): string {
  if (delay_seconds === 0) return 'at once';
  const first = `after ${wholeSeconds(delay_seconds)}`;
  return strategy === 'fixed' ? first : `${first}, growing to ${wholeSeconds(max_delay_seconds)}`;
}

/** `5 s`, where `duration` has `5.0 s`. */
function wholeSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : duration(seconds * 1_000);
}

function FilterLink({ name, value }: { name: string; value: string }) {
  return (
    <a href={`/console/tasks?${new URLSearchParams({ [name]: value })}`} class="mono">
      {safeLine(value)}
    </a>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <ul class="row">
      {tags.map((tag, index) => (
        <li key={index} class="tag" title={safeLine(tag)}>
          <a href={`/console/tasks?${new URLSearchParams({ tag })}`} class="quiet-link">
            {safeLine(tag)}
          </a>
        </li>
      ))}
    </ul>
  );
}

function OtherTask({ agentId, taskId }: { agentId: string; taskId: string }) {
  return (
    <a href={taskHref({ agent_id: agentId, id: taskId })} class="mono">
      {taskId}
    </a>
  );
}

/** What the attempts that have ended have used, and the most they may cost; nothing for a task without either. */
export function TaskUsage({ record: { usage, cost, max_cost: limit } }: { record: Task }) {
  if (!usage && !cost && !limit) return null;
  return (
    <Panel title="Usage">
      <Facts
        facts={[
          ['Cost', cost && <strong class="number">{costText(cost)}</strong>],
          ['Limit', limit && `${dollars(limit.amount)} for all attempts`],
          ['Input', usage && <Tokens all={usage.input_tokens} part={usage.cached_input_tokens} name="cached" />],
          ['Output', usage && <Tokens all={usage.output_tokens} part={usage.reasoning_tokens} name="reasoning" />],
        ]}
      />
    </Panel>
  );
}

function Tokens({ all, part, name }: { all: number; part: number; name: string }) {
  return (
    <span class="number">
      {plural(all, 'token')}
      {part > 0 && (
        <span class="small muted">
          <br />
          {count(part)} of them {name}
        </span>
      )}
    </span>
  );
}
