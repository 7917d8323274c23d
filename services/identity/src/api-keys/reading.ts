import type { Input, Reply } from '@agent-fleet/shared/contract/operation';
import { pageHeaders } from '@agent-fleet/shared/contract/paging';
import { etagOf } from '@agent-fleet/shared/http/etag';
import type { getApiKey, listApiKeys } from './contract.ts';
import type { KeyParts, KeyReader } from './key-reader.ts';
import { managerOf } from './manager.ts';

/** The operations that read API keys. */
export function createReading({ apiKeys, environmentKeys }: KeyParts, reader: KeyReader) {
  /** All keys, those of the environment first. */
  async function listAll(skip: number, limit: number) {
    const first = environmentKeys.slice(skip, skip + limit);
    const rest = { skip: Math.max(0, skip - environmentKeys.length), limit: limit - first.length };
    const { records, total } = await apiKeys.list(rest);
    const [fixed, stored] = await Promise.all([reader.serveEnvironment(first), reader.serve(records)]);
    return { found: [...fixed, ...stored], total: environmentKeys.length + total };
  }

  async function listOwned(owner: { owner_id: string | null; owner: string }, skip: number, limit: number) {
    const owned = await apiKeys.listOwned(owner);
    return { found: await reader.serve(owned.slice(skip, skip + limit)), total: owned.length };
  }

  return {
    async list({ query, req }: Input<typeof listApiKeys>): Promise<Reply> {
      const { isAdmin, ownerId, owner } = managerOf(req);
      const { skip, limit } = query;
      const { found, total } = isAdmin
        ? await listAll(skip, limit)
        : await listOwned({ owner_id: ownerId, owner }, skip, limit);
      return { status: 200, json: JSON.stringify(found), headers: pageHeaders(req.originalUrl, query, total) };
    },

    async read({ params, req }: Input<typeof getApiKey>): Promise<Reply> {
      const manager = managerOf(req);
      const fixed = reader.findInEnvironment(manager, params.key_id);
      const [key] = fixed
        ? await reader.serveEnvironment([fixed])
        : await reader.serve([(await reader.requireStored(manager, params.key_id)).record]);
      const json = JSON.stringify(key);
      return { status: 200, json, etag: etagOf(json) };
    },
  };
}
