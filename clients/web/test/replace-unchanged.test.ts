import { FleetError } from '@agent-fleet/sdk';
import { describe, expect, test } from '@jest/globals';
import { ChangedByOthersError, replaceUnchanged } from '../src/api/replace-unchanged.ts';

/** A record of which others change the version, or the name, before each of the first replacements. */
function record(changes: readonly ('version' | 'name')[]) {
  const waiting = [...changes];
  let version = 1;
  let name = 'before';
  return {
    what: 'record',
    read: async () => ({ data: { name }, response: new Response(null, { headers: { etag: `"${version}"` } }) }),
    isUnchanged: (current: { name: string }) => current.name === 'before',
    async replace(header: { 'If-Match': string }) {
      const change = waiting.shift();
      if (change) version += 1;
      if (change === 'name') name = 'of others';
      if (header['If-Match'] !== `"${version}"`) throw new FleetError('changed', { status: 412 });
      name = 'after';
    },
    name: () => name,
  };
}

describe('Replacing what nobody else has changed', () => {
  test('is tried again when the rest of the record has changed', async () => {
    const changing = record(['version', 'version']);
    await replaceUnchanged(changing);
    expect(changing.name()).toBe('after');
  });

  test('gives up in the end', async () => {
    await expect(replaceUnchanged(record(Array(5).fill('version')))).rejects.toMatchObject({ status: 412 });
  });

  test('is refused, with the present record, when others have changed the same', async () => {
    const refused = replaceUnchanged(record(['name']));
    await expect(refused).rejects.toBeInstanceOf(ChangedByOthersError);
    await expect(refused).rejects.toMatchObject({ current: { name: 'of others' } });
  });
});
