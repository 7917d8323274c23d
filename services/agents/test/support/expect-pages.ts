import { expect } from '@jest/globals';
import type { connectAs } from './callers.ts';

/** Reads a page and those after it by its links, and compares them with what is expected. */
export async function expectPages(
  { http }: Pick<ReturnType<typeof connectAs>, 'http'>,
  path: string,
  parameters: Record<string, string | undefined>,
  { skip, limit }: { skip: number; limit: number },
  expected: readonly object[],
): Promise<void> {
  const given = Object.entries({ ...parameters, skip, limit }).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  const found: object[] = [];
  let next: string | undefined = `${path}?${query}`;
  while (next) {
    const { headers, body }: { headers: Record<string, string>; body: object[] } = await http.get(next).expect(200);
    expect(headers['x-total-count']).toBe(String(expected.length));
    const isLast = skip + found.length + body.length >= expected.length;
    expect(body.length).toBe(isLast ? Math.max(0, expected.length - skip - found.length) : limit);
    found.push(...body);
    next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
    expect(next === undefined).toBe(isLast);
  }
  expect(found).toEqual(expected.slice(skip));
}
