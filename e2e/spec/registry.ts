import { expect, test } from '@jest/globals';
import type { Api } from '../harness/api.ts';
import type { CallOptions } from '../harness/http-client.ts';
import { CONTROLS_PROCESSES } from '../harness/system.ts';
import { expectDetail, expectInvalid, expectJson, expectResponse, linksOf, TIMESTAMP } from './expectations.ts';
import { REGISTRY_FILE } from './registry-file.ts';

interface Skill {
  id: string;
  name: string;
  category: string | null;
  tags: string[];
  author: string | null;
  kind: string;
  source: { repo: string | null };
  stars: number | null;
}
interface Counted {
  categories: { id: string; name: string; description: string | null; count: number }[];
  tags: { name: string; count: number }[];
}

const SKILL_FIELDS = ['id', 'name', 'description', 'category', 'tags', 'author', 'source'];

/** Specification "Registry API"; docs/contract.md "Registry". Independent of the skills in the registry. */
export function specifyRegistry(api: Api): void {
  const get = (path: string, options?: CallOptions) => api.call('GET', path, { as: 'nobody', ...options });
  const skillsAt = async (path: string) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    return response.json as Skill[];
  };
  const allSkills = () => skillsAt('/api/skills');

  test('GET /api/skills returns all skills with their metadata by name, and the total', async () => {
    const response = await get('/api/skills');
    expect(response.status).toBe(200);
    expectJson(response);
    const skills = response.json as Skill[];
    expect(skills.length).toBeGreaterThan(0);
    expect(response.headers['x-total-count']).toBe(String(skills.length));
    expect(response.headers.link).toBeUndefined();
    expect(new Set(skills.map(({ id }) => id)).size).toBe(skills.length);
    for (const skill of skills) expect(Object.keys(skill)).toEqual(expect.arrayContaining(SKILL_FIELDS));
    expect(await skillsAt('/api/skills?sort=name&order=asc')).toEqual(skills);
  });

  test('each skill is read by its id, which needs no escapes except for letters beyond ASCII', async () => {
    for (const skill of (await allSkills()).slice(0, 20)) {
      expect(skill.id).toMatch(/^[\p{L}\p{N}\p{M}._~-]+$/u);
      expectResponse(await get(`/api/skills/${encodeURIComponent(skill.id)}`), 200, skill);
    }
  });

  test('skip and limit select a page, and Link leads through the pages', async () => {
    const all = await allSkills();
    const first = await get('/api/skills?limit=2');
    expect(first.headers['x-total-count']).toBe(String(all.length));
    expect(first.json).toEqual(all.slice(0, 2));
    const second = await get(String(linksOf(first).next));
    expect(second.json).toEqual(all.slice(2, 4));
    expect((await get(String(linksOf(second).prev))).json).toEqual(all.slice(0, 2));
    const rest = await get('/api/skills?skip=1');
    expect([rest.json, rest.headers.link]).toEqual([all.slice(1), undefined]);
    expect((await get(`/api/skills?skip=${all.length}`)).json).toEqual([]);
  });

  test('the catalogue has the skills of the list, their number, and facets that are asked for', async () => {
    const all = await allSkills();
    const { json } = await get('/api/catalogue?cursor=&limit=2&facets=valid,tag');
    const { skills, facets, total, next_cursor } = json as { [name: string]: unknown; facets: object };
    expect([skills, total, Object.keys(facets).sort()]).toEqual([all.slice(0, 2), all.length, ['tag', 'valid']]);
    const next = await get(`/api/catalogue?limit=1000&cursor=${next_cursor}`);
    expectResponse(next, 200, { skills: all.slice(2), facets: {}, total: all.length, next_cursor: null });
    expectInvalid(await get(`/api/catalogue?q=x&cursor=${next_cursor}`), 'cursor');
  });

  test('category, tag and author filter the list and its total, case-insensitively and combined', async () => {
    const all = await allSkills();
    const some = all.find(({ category, tags, author }) => category && author && tags.length > 0) as Skill;
    const same = (a: string | null, b: unknown) => a?.toLowerCase() === String(b).toLowerCase();
    const filters: [name: string, value: string, holds: (skill: Skill) => boolean][] = [
      ['category', String(some.category), (skill) => same(skill.category, some.category)],
      ['tag', String(some.tags[0]), (skill) => skill.tags.some((tag) => same(tag, some.tags[0]))],
      ['author', String(some.author), (skill) => same(skill.author, some.author)],
    ];
    for (const [name, value, holds] of filters) {
      for (const written of [value, value.toUpperCase()]) {
        const response = await get(`/api/skills?${name}=${encodeURIComponent(written)}`);
        expect(response.json).toEqual(all.filter(holds));
        expect(response.headers['x-total-count']).toBe(String(all.filter(holds).length));
      }
      expectResponse(await get(`/api/skills?${name}=nobody-has-this`), 200, []);
      expect(await skillsAt(`/api/skills?${name}=`)).toEqual(all);
    }
    const query = filters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
    expect(await skillsAt(`/api/skills?${query}`)).toEqual(all.filter((s) => filters.every(([, , holds]) => holds(s))));
  });

  test('q searches text with the exact name first, and sort and order set the order', async () => {
    const all = await allSkills();
    for (const { id, name } of all.slice(0, 5)) {
      const found = await skillsAt(`/api/skills?q=${encodeURIComponent(name)}`);
      expect(found[0]?.name.toLowerCase()).toBe(name.toLowerCase());
      expect(found.map((skill) => skill.id)).toContain(id);
    }
    expect(await skillsAt('/api/skills?q=zzqqxxyy')).toEqual([]);
    const ids = (skills: Skill[]) => new Set(skills.map(({ id }) => id));
    for (const sort of ['name', 'stars', 'downloads', 'updated', 'trending']) {
      for (const order of ['asc', 'desc']) {
        expect(ids(await skillsAt(`/api/skills?sort=${sort}&order=${order}`))).toEqual(ids(all));
      }
    }
    const stars = (await skillsAt('/api/skills?sort=stars')).flatMap((skill) => skill.stars ?? []);
    expect(stars).toEqual(stars.toSorted((a, b) => b - a));
  });

  test('only skills and plugins are listed, unless kind asks for others', async () => {
    const all = await allSkills();
    for (const { kind } of all) expect(['skill', 'plugin']).toContain(kind);
    for (const kind of ['skill', 'plugin']) {
      expect(await skillsAt(`/api/skills?kind=${kind}`)).toEqual(all.filter((skill) => skill.kind === kind));
    }
    expect(await skillsAt('/api/skills?kind=plugin,skill')).toEqual(all);
    for (const { kind } of await skillsAt('/api/skills?kind=agent,mcp_server')) {
      expect(['agent', 'mcp_server']).toContain(kind);
    }
  });

  test('GET /api/search finds skills by name, for one owner if wanted', async () => {
    for (const { id, name, source } of (await skillsAt('/api/skills?kind=skill')).slice(0, 5)) {
      const response = await get(`/api/search?limit=100&q=${encodeURIComponent(name)}`);
      expect(response.status).toBe(200);
      const { query, count, skills } = response.json as { query: string; count: number; skills: { id: string }[] };
      expect([query, count]).toEqual([name, skills.length]);
      expect(skills).toContainEqual({
        id,
        name,
        installs: expect.any(Number),
        source: expect.stringMatching(source.repo === null ? /^$/ : /^([^/]+\/[^/]+)?$/),
      });
      const owned = await get(`/api/search?q=${encodeURIComponent(name)}&owner=nobody-has-this`);
      expectResponse(owned, 200, { query: name, count: 0, skills: [] });
    }
    expect(((await get('/api/search?q=a&limit=1')).json as { count: number }).count).toBeLessThanOrEqual(1);
    for (const [query, name] of [
      ['', 'q'],
      ['q=a&limit=0', 'limit'],
      ['q=a&owner=a/b', 'owner'],
    ]) {
      expectInvalid(await get(`/api/search?${query}`), String(name));
    }
  });

  test.each([
    ['sort', ['nope', 'NAME']],
    ['kind', ['nope', 'skill,']],
    ['order', ['up']],
  ])('a bad or repeated %s is 400', async (name, values) => {
    for (const value of values) expectInvalid(await get(`/api/skills?${name}=${value}`), name);
    expectInvalid(await get(`/api/skills?${name}=1&${name}=1`), name);
  });

  test('GET /api/categories counts what GET /api/skills lists', async () => {
    const response = await get('/api/categories');
    expect(response.status).toBe(200);
    expectJson(response);
    const { categories, tags } = response.json as Counted;
    const all = await allSkills();
    expect(Object.keys(response.json as Counted)).toEqual(['categories', 'tags']);
    for (const category of categories) {
      expect(Object.keys(category).sort()).toEqual(['count', 'description', 'id', 'name']);
      expect(category.count).toBe(all.filter((skill) => skill.category === category.id).length);
      const listed = await get(`/api/skills?limit=1&category=${encodeURIComponent(category.id)}`);
      expect(listed.headers['x-total-count']).toBe(String(category.count));
    }
    const inCategories = categories.reduce((sum, { count }) => sum + count, 0);
    expect(inCategories).toBe(all.filter(({ category }) => category !== null).length);
    const tagsOf = all.map((skill) => new Set(skill.tags.map((tag) => tag.toLowerCase())));
    expect(tags).toHaveLength(new Set(tagsOf.flatMap((some) => [...some])).size);
    for (const { name, count } of tags) {
      expect([name, count]).toEqual([name, tagsOf.filter((some) => some.has(name.toLowerCase())).length]);
    }
  });

  test('GET /api/registry/status reports source, snapshot, age and counts', async () => {
    const response = await get('/api/registry/status');
    const all = await allSkills();
    const { categories, tags } = (await get('/api/categories')).json as Counted;
    expectResponse(response, 200, {
      source: expect.any(String),
      snapshot_id: expect.any(String),
      fetched_at: expect.stringMatching(TIMESTAMP),
      checked_at: expect.stringMatching(TIMESTAMP),
      age_seconds: expect.any(Number),
      stale: expect.any(Boolean),
      last_error: null,
      counts: expect.objectContaining({ skills: all.length, categories: categories.length, tags: tags.length }),
      sources: [expect.objectContaining({ source: expect.any(String), last_error: null, refused: null })],
      ...{ rejected: expect.any(Array), rejections: expect.any(Array), warnings: expect.any(Array) },
      duplicates: { count: expect.any(Number), ids: expect.any(Array) },
    });
  });

  if (!CONTROLS_PROCESSES) return;

  test('GET /registry.json is byte for byte the file that was fetched', async () => {
    const { bytes, headers } = await get('/registry.json');
    expect(bytes.equals(Buffer.from(REGISTRY_FILE))).toBe(true);
    expect(headers['content-type']).toMatch(/^application\/json/);
  });

  test('the SKILL.md of a skill whose place is unknown is 404', async () => {
    for (const path of ['skill.md', '.well-known/agent-skills/index.json']) {
      expectDetail(await get(`/api/skills/plan/${path}`), 404, 'SKILL.md not found');
    }
  });

  test('all skills of a known file are listed, with the expected counts', async () => {
    const names = (await allSkills()).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['no category', 'plan', 'summarise', 'Translate', '技能']));
    const { categories, tags } = (await get('/api/categories')).json as Counted;
    const counts = Object.fromEntries(categories.map(({ id, count }) => [id, count]));
    expect(counts).toEqual({ writing: 2, planning: 2, empty: 0 });
    expect(Object.fromEntries(tags.map(({ name, count }) => [name, count]))).toEqual({ text: 2, short: 2, 技: 1 });
    expect(categories.find(({ id }) => id === 'writing')).toMatchObject({ name: 'Writing', description: 'Texts.' });
  });
}
