import {
  anonymously,
  at,
  known,
  ofRegistry,
  type Prepare,
  type Provocations,
  plainly,
  withBadHost,
} from '../provocation.ts';

const listSkills = anonymously('GET', '/api/skills');
const readSkill: Prepare = ({ skill }) => ({ method: 'GET', path: `/api/skills/${skill}`, as: 'nobody' });
const listCategories = anonymously('GET', '/api/categories');
const readFile = anonymously('GET', '/registry.json');
const readStatus = anonymously('GET', '/api/registry/status');

export const REGISTRY_PROVOCATIONS: Record<string, Provocations> = {
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
    400: withBadHost(readFile),
  },
  'GET /api/registry/status': {
    ...ofRegistry(readStatus),
    200: plainly(readStatus),
    400: withBadHost(readStatus),
  },
};
