import type { Provocations } from './provocation.ts';
import { AGENT_PROVOCATIONS } from './provocations/agents.ts';
import { EVENT_PROVOCATIONS } from './provocations/events.ts';
import { GATEWAY_PROVOCATIONS } from './provocations/gateway.ts';
import { LEASE_PROVOCATIONS } from './provocations/leases.ts';
import { REGISTRY_PROVOCATIONS } from './provocations/registry.ts';
import { TASK_PROVOCATIONS } from './provocations/tasks.ts';

/** How every documented outcome of every operation is provoked. */
export const PROVOCATIONS: Record<string, Provocations> = {
  ...AGENT_PROVOCATIONS,
  ...TASK_PROVOCATIONS,
  ...LEASE_PROVOCATIONS,
  ...EVENT_PROVOCATIONS,
  ...REGISTRY_PROVOCATIONS,
  ...GATEWAY_PROVOCATIONS,
};
