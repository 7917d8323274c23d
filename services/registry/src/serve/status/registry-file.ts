import { queryText } from '@agent-fleet/shared/contract/paging';
import { validationError } from '@agent-fleet/shared/http/errors';
import { z } from 'zod';
import { defineCacheable, OVERLOADED } from '../http/contract.ts';
import { type RequestContext, send } from '../http/send.ts';

export const getRegistryFile = defineCacheable({
  id: 'getRegistryFile',
  path: '/registry.json',
  summary: 'Read the raw registry file',
  description: 'Returns the bytes that were fetched from the source, unchanged.',
  query: z.object({
    source: queryText(
      'The source of the file, one of `sources` in `/api/registry/status`. Default: the first. An unknown source is refused with 400.',
    ),
  }),
  response: {
    description: 'The file.',
    schema: z.unknown().meta({ description: 'JSON of any shape, as the source sends it.' }),
    example: { version: '1.0.0', skills: [{ name: 'review-a-pull-request' }] },
  },
  errors: [OVERLOADED],
});

/** `GET /registry.json`: the file of the source with this label, or of the first one. @throws 400 for another label */
export async function sendRegistryFile(context: RequestContext, source: string | undefined): Promise<undefined> {
  const { registryFiles, meta } = context.served;
  const found = [...registryFiles].find(([label]) => source === undefined || source === label);
  if (found === undefined) {
    const known = [...registryFiles.keys()].join(', ');
    throw validationError([{ path: 'source', code: 'invalid_value', message: `must be one of ${known}` }]);
  }
  const [name, file] = found;
  const fetchedAt = meta.sources.find(({ label }) => label === name)?.fetchedAt ?? meta.at;
  await send(context, file, { lastModified: fetchedAt });
}
