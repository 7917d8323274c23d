import {
  anonymously,
  at,
  type ContractCases,
  known,
  type Prepare,
  plainly,
  proxied,
  withBadHost,
} from '../contract-case.ts';

const listSkills = anonymously('GET', '/api/skills');
const readSkill: Prepare = ({ skill }) => ({ method: 'GET', path: `/api/skills/${skill}`, as: 'nobody' });
const listCategories = anonymously('GET', '/api/categories');
const readFile = anonymously('GET', '/registry.json');
const readStatus = anonymously('GET', '/api/registry/status');
const listSuggestions = anonymously('GET', '/api/suggestions?q=a');
const listChanges: Prepare = async ({ api }) => {
  const { json } = await api.get('/api/registry/status');
  return { method: 'GET', path: `/api/changes?since=${(json as { snapshot_id: string }).snapshot_id}`, as: 'nobody' };
};
const readFeed = anonymously('GET', '/api/feed.atom');
const readIndex = anonymously('GET', '/.well-known/agent-skills/index.json');

const ofRegistry = (good: Prepare) => proxied('registry', good);

export const REGISTRY_CASES: Record<string, ContractCases> = {
  'GET /api/skills': {
    ...ofRegistry(listSkills),
    200: plainly(listSkills),
    304: known(listSkills),
    400: plainly(at('/api/skills?limit=0', listSkills)),
  },
  'GET /api/skills/{skill_id}': {
    ...ofRegistry(readSkill),
    200: plainly(readSkill),
    304: known(readSkill),
    400: withBadHost(readSkill),
    404: plainly(at('/api/skills/missing', readSkill)),
  },
  'GET /api/categories': {
    ...ofRegistry(listCategories),
    200: plainly(listCategories),
    304: known(listCategories),
    400: withBadHost(listCategories),
  },
  'GET /registry.json': {
    ...ofRegistry(readFile),
    200: plainly(readFile),
    304: known(readFile),
    400: plainly(at('/registry.json?source=none', readFile)),
  },
  'GET /api/registry/status': {
    ...ofRegistry(readStatus),
    200: plainly(readStatus),
    400: withBadHost(readStatus),
  },
  'GET /api/suggestions': {
    ...ofRegistry(listSuggestions),
    200: plainly(listSuggestions),
    304: known(listSuggestions),
    400: plainly(at('/api/suggestions', listSuggestions)),
  },
  'GET /api/changes': {
    ...ofRegistry(listChanges),
    200: plainly(listChanges),
    304: known(listChanges),
    400: plainly(at('/api/changes', listChanges)),
    410: plainly(at('/api/changes?since=unknown', listChanges)),
  },
  'GET /api/feed.atom': {
    ...ofRegistry(readFeed),
    200: plainly(readFeed),
    304: known(readFeed),
    400: withBadHost(readFeed),
  },
  'GET /.well-known/agent-skills/index.json': {
    ...ofRegistry(readIndex),
    200: plainly(readIndex),
    304: known(readIndex),
    400: withBadHost(readIndex),
  },
};
