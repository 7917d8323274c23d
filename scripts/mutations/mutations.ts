import { AGENTS_FAULTS } from './faults/agents.ts';
import { CLIENTS_FAULTS } from './faults/clients.ts';
import { GATEWAY_FAULTS } from './faults/gateway.ts';
import { IDENTITY_FAULTS } from './faults/identity.ts';
import { REGISTRY_FAULTS } from './faults/registry.ts';
import { SHARED_FAULTS } from './faults/shared.ts';
import type { Mutation } from './mutation.ts';

/** One-line faults that an engineer could make. */
export const MUTATIONS: readonly Mutation[] = [
  ...GATEWAY_FAULTS,
  ...AGENTS_FAULTS,
  ...IDENTITY_FAULTS,
  ...REGISTRY_FAULTS,
  ...SHARED_FAULTS,
  ...CLIENTS_FAULTS,
];

export function isLong(test: string): boolean {
  return test.endsWith('.long.test.ts');
}
