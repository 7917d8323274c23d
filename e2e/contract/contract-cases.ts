import { AGENT_CASES } from './cases/agents.ts';
import { EVENT_CASES } from './cases/events.ts';
import { GATEWAY_CASES } from './cases/gateway.ts';
import { LEASE_CASES } from './cases/leases.ts';
import { REGISTRY_CASES } from './cases/registry.ts';
import { TASK_CASES } from './cases/tasks.ts';
import type { ContractCases } from './contract-case.ts';

/** A case for every documented outcome of every operation. */
export const CONTRACT_CASES: Record<string, ContractCases> = {
  ...AGENT_CASES,
  ...TASK_CASES,
  ...LEASE_CASES,
  ...EVENT_CASES,
  ...REGISTRY_CASES,
  ...GATEWAY_CASES,
};
