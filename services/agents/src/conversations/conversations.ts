import type { Idempotency } from '../idempotency/idempotency.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { createInbox, type OnItems } from './inbox/inbox.ts';
import { createMessages } from './messages/messages.ts';
import { createRequests } from './requests/requests.ts';
import { createSuspensions } from './suspensions/suspensions.ts';

interface ConversationParts {
  tasks: Tasks;
  idempotency: Idempotency;
  onItems: OnItems;
}

/** What people and the workers of tasks say to each other. */
export function createConversations(context: FleetContext, { tasks, idempotency, onItems }: ConversationParts) {
  const requests = createRequests(context, tasks);
  const messages = createMessages(context, { tasks, idempotency });
  const inbox = createInbox(context, { tasks, requests: requests.store, messages: messages.store, onItems });
  const suspensions = createSuspensions(context, { tasks, requests: requests.store });
  return {
    operations: {
      requests: requests.operations,
      messages: messages.operations,
      readInbox: inbox.readInbox,
      suspend: suspensions.suspend,
    },
    readResume: suspensions.readResume,
    toSuspension: suspensions.toSuspension,
  };
}
