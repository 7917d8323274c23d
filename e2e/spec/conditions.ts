import { describe, expect, test } from '@jest/globals';
import { type Api, pathOf } from '../harness/api.ts';
import { expectDetail, expectError, expectNoBody, expectResponse, STRONG_ETAG } from './expectations.ts';

/** docs/contract.md "Agents", "Tasks": 304 and `If-Match`; RFC 9110 section 13. */
export function specifyConditions(api: Api): void {
  const kinds = {
    Agent: {
      create: async () => `/agents/${(await api.createAgent()).id}`,
      toBody: (text: string) => ({ name: text, type: api.types[0] }),
    },
    Task: {
      create: async () => pathOf(await api.createTask((await api.createAgent()).id)),
      toBody: (message: string) => ({ message }),
    },
  };

  describe.each(Object.entries(kinds))('%s:', (kind, { create, toBody }) => {
    async function open() {
      const path = await create();
      const { json, headers } = await api.get(path);
      return { path, record: json, etag: String(headers.etag) };
    }
    const replace = (path: string, tag: string, text = 'Changed') =>
      api.call('PUT', path, { headers: { 'if-match': tag }, body: toBody(text) });
    const remove = (path: string, tag: string) => api.call('DELETE', path, { headers: { 'if-match': tag } });

    test('GET with If-None-Match is 304 when one of its tags is current, by weak comparison', async () => {
      const { path, etag } = await open();
      expect(etag).toMatch(STRONG_ETAG);
      for (const tags of [etag, `W/${etag}`, '*', `"other", ${etag}`, `"a","b",W/${etag} , "c"`]) {
        const headers = { 'if-none-match': tags };
        const response = await api.get(path, headers);
        expectNoBody(response, 304);
        expect(response.headers.etag).toBe(etag);
        expectNoBody(await api.call('HEAD', path, { headers }), 304);
      }
      for (const tags of ['"other"', etag.replaceAll('"', ''), `"${etag}"`, '']) {
        expect((await api.get(path, { 'if-none-match': tags })).status).toBe(200);
      }
    });

    test('PUT with If-Match replaces the record when one of the tags is current, and changes its tag', async () => {
      const { path, etag } = await open();
      const first = await replace(path, etag, 'One');
      const second = await replace(path, `"other", ${first.headers.etag}`, 'Two');
      const third = await replace(path, '*', 'Three');
      // A proxy that compresses has made it weak.
      const fourth = await replace(path, `W/${third.headers.etag}`, 'Four');
      const responses = [first, second, third, fourth];
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set([etag, ...responses.map(({ headers }) => headers.etag)]).size).toBe(5);
    });

    test('PUT and DELETE with a stale or malformed If-Match are 412 and change nothing', async () => {
      const { path, record, etag } = await open();
      for (const tag of ['"stale"', 'W/"stale"', '"a", "b"', 'garbled', etag.replaceAll('"', '')]) {
        expectError(await replace(path, tag), 412, 'precondition_failed');
        expectError(await remove(path, tag), 412, 'precondition_failed');
      }
      expectResponse(await api.get(path), 200, record);
      expectNoBody(await remove(path, etag), 204);
    });

    test('a missing record is 404 with any If-Match', async () => {
      const { path } = await open();
      await api.call('DELETE', path);
      for (const tag of ['*', '"any"']) {
        for (const use of [replace, remove]) expectDetail(await use(path, tag), 404, `${kind} not found`);
      }
    });

    test('exactly one of many concurrent replacements with the same If-Match succeeds', async () => {
      const { path, etag } = await open();
      const responses = await Promise.all(Array.from({ length: 20 }, (_, at) => replace(path, etag, `Writer ${at}`)));
      const winners = responses.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      expect(responses.filter(({ status }) => status === 412)).toHaveLength(19);
      expectResponse(await api.get(path), 200, winners[0]?.json);
    });
  });
}
