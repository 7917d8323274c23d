import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityContext } from '../redis/context.ts';
import { createAuditEvents } from './audit-events.ts';
import { createAuditStore } from './audit-store.ts';
import { listAuditEvents } from './contract.ts';

/** The operation on the audit trail. */
export function createAuditBindings(context: IdentityContext): Binding[] {
  const { list } = createAuditEvents(createAuditStore(context), context.logger);
  return [bind(listAuditEvents, list)];
}
