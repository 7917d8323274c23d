import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityConfig } from '../config.ts';
import type { IdentityContext } from '../redis/context.ts';
import type { UserStore } from '../users/user-store.ts';
import { createApiKeyStore } from './api-key-store.ts';
import { createChanges } from './changes.ts';
import { createApiKey, deleteApiKey, getApiKey, listApiKeys, rotateApiKey } from './contract.ts';
import { createKeyReader } from './key-reader.ts';
import { createReading } from './reading.ts';

/** The operations on API keys. */
export function createApiKeyBindings(
  { environmentKeys }: Pick<IdentityConfig, 'environmentKeys'>,
  context: IdentityContext,
  users: Pick<UserStore, 'read'>,
): Binding[] {
  const store = createApiKeyStore(context);
  const reader = createKeyReader(store, users, environmentKeys.list);
  const { list, read } = createReading(store, reader, environmentKeys.list);
  const changes = createChanges(context, store, reader, users);
  return [
    bind(listApiKeys, list),
    bind(createApiKey, changes.create, changes.requireManager),
    bind(getApiKey, read),
    bind(deleteApiKey, changes.delete),
    bind(rotateApiKey, changes.rotate, changes.requireChangeable),
  ];
}
