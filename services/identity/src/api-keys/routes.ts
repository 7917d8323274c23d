import { type Binding, bind } from '@agent-fleet/shared/contract/operation';
import type { IdentityContext } from '../redis/context.ts';
import { createApiKey, deleteApiKey, getApiKey, listApiKeys, rotateApiKey } from './contract.ts';
import { createKeyChanges } from './key-changes.ts';
import { createKeyReader, type KeyParts } from './key-reader.ts';
import { createReading } from './reading.ts';

/** The operations on API keys. */
export function createApiKeyRoutes(context: IdentityContext, parts: KeyParts): Binding[] {
  const reader = createKeyReader(parts);
  const { list, read } = createReading(parts, reader);
  const changes = createKeyChanges(context, { ...parts, reader });
  return [
    bind(listApiKeys, list),
    bind(createApiKey, changes.create, changes.requireManager),
    bind(getApiKey, read),
    bind(deleteApiKey, changes.delete),
    bind(rotateApiKey, changes.rotate, changes.requireChangeable),
  ];
}
