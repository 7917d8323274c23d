import {
  anonymously,
  BAD_HOST,
  but,
  type ContractCases,
  KNOWN,
  locally,
  type Prepare,
  plainly,
  proxied,
} from '../contract-case.ts';
import { FILE_SKILL } from '../skill-place.ts';

const readSkill: Prepare = ({ skill }) => ({ method: 'GET', path: `/api/skills/${skill}`, as: 'nobody' });
const listChanges: Prepare = async ({ api }) => {
  const { json } = await api.get('/api/registry/status');
  return { method: 'GET', path: `/api/changes?since=${(json as { snapshot_id: string }).snapshot_id}`, as: 'nobody' };
};
/** The skill whose SKILL.md this test run serves; see `openSkillPlace`. */
const ofFile = (path: string): Prepare => {
  return async ({ api }) => {
    const [skill] = (await api.get(`/api/skills?q=${FILE_SKILL}&limit=1`)).json as { id: string }[];
    return { method: 'GET', path: `/api/skills/${skill?.id}/${path}`, as: 'nobody' };
  };
};
const read = (path: string) => anonymously('GET', path);

function ofRegistry(good: Prepare, variants: Parameters<typeof plainly>[1]): ContractCases {
  return { ...proxied('registry', good), ...plainly(good, { 200: good, ...variants }) };
}

/** 200 and 304 need a file that only a local fleet can fetch. */
function ofSkillFile(path: string): ContractCases {
  const missing = `/api/skills/missing/${path}`;
  return {
    ...proxied('registry', ofFile(path)),
    ...plainly(read(missing), { 400: BAD_HOST, 404: missing }),
    200: locally(ofFile(path)),
    304: locally(but(ofFile(path), KNOWN)),
  };
}

export const REGISTRY_CASES: Record<string, ContractCases> = {
  'GET /api/skills': ofRegistry(read('/api/skills'), { 304: KNOWN, 400: '/api/skills?limit=0' }),
  'GET /api/catalogue': ofRegistry(read('/api/catalogue?facets=tag'), {
    304: KNOWN,
    400: '/api/catalogue?facets=stars',
  }),
  'GET /api/skills/{skill_id}': ofRegistry(readSkill, { 304: KNOWN, 400: BAD_HOST, 404: '/api/skills/missing' }),
  'GET /api/skills/{skill_id}/skill.md': ofSkillFile('skill.md'),
  'GET /api/skills/{skill_id}/.well-known/agent-skills/index.json': ofSkillFile('.well-known/agent-skills/index.json'),
  'GET /api/search': ofRegistry(read('/api/search?q=a'), { 304: KNOWN, 400: '/api/search' }),
  'GET /api/categories': ofRegistry(read('/api/categories'), { 304: KNOWN, 400: BAD_HOST }),
  'GET /registry.json': ofRegistry(read('/registry.json'), { 304: KNOWN, 400: '/registry.json?source=none' }),
  'GET /api/registry/status': ofRegistry(read('/api/registry/status'), { 400: BAD_HOST }),
  'GET /api/suggestions': ofRegistry(read('/api/suggestions?q=a'), { 304: KNOWN, 400: '/api/suggestions' }),
  'GET /api/changes': ofRegistry(listChanges, {
    304: KNOWN,
    400: '/api/changes',
    410: '/api/changes?since=unknown',
  }),
  'GET /api/feed.atom': ofRegistry(read('/api/feed.atom'), { 304: KNOWN, 400: BAD_HOST }),
  'GET /.well-known/agent-skills/index.json': ofRegistry(read('/.well-known/agent-skills/index.json'), {
    304: KNOWN,
    400: BAD_HOST,
  }),
};
