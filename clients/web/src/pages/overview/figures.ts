import type { components } from '@agent-fleet/sdk';
import type { Figure } from '../../components/figures.tsx';
import { capital } from '../../text/pieces.ts';
import { AGENT_STATUSES, statusWord, TASK_STATUSES, toneOf } from '../../text/statuses.ts';

/** What there is in the fleet, in numbers that lead to the lists. */
export function fleetFigures(stats: components['schemas']['Stats'] | undefined, inbox: number): Figure[] {
  const { tasks, agents, workers } = stats ?? {};
  return [
    { label: 'Inbox', href: '/console/inbox', value: inbox, tone: 'ask' },
    { label: 'Tasks', href: '/console/tasks', value: tasks?.total },
    ...TASK_STATUSES.map((status) => ({
      label: capital(statusWord(status)),
      href: `/console/tasks?status=${status}`,
      value: tasks?.by_status[status],
      tone: toneOf(status),
    })),
    { label: 'Agents', href: '/console/agents', value: agents?.total },
    ...AGENT_STATUSES.map((status) => ({
      label: capital(statusWord(status)),
      href: `/console/agents?status=${status}`,
      value: agents?.by_status[status],
      tone: toneOf(status),
    })),
    { label: 'Workers', href: '/console/workers', value: workers },
  ];
}
