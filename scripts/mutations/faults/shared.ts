import type { Mutation } from '../mutation.ts';

export const SHARED_FAULTS: readonly Mutation[] = [
  {
    name: 'a token that brings its own key is not refused',
    file: 'access/src/tokens/token.ts',
    find: 'if (REFUSED_PARAMETERS.some((name) => Object.hasOwn(header, name))) return false;',
    replace: '',
    tests: ['access/src/tokens/token-attacks.test.ts'],
  },
  {
    name: 'a service answers requests without a principal',
    file: 'shared/src/contract/service-router.ts',
    find: "if (req.headers[PRINCIPAL_HEADER] === undefined) throw httpError('forbidden', 'This needs a principal');",
    replace: '',
    tests: ['e2e/roles.test.ts'],
  },
  {
    name: 'a parameter of a path may be empty',
    file: 'shared/src/contract/path-templates.ts',
    find: "if (found !== undefined || node.parameter === undefined || segment === '') return found;",
    replace: 'if (found !== undefined || node.parameter === undefined) return found;',
    tests: ['e2e/spec.test.ts'],
  },
  {
    name: 'an If-Match without a valid tag matches everything',
    file: 'shared/src/contract/conditions.ts',
    find: "return tags.length > 0 ? tags : ['none'];",
    replace: 'return tags;',
    tests: ['e2e/spec.test.ts'],
  },
  {
    name: 'the last page of a list links to an empty one',
    file: 'shared/src/contract/paging.ts',
    find: 'passed > 0 && next < total',
    replace: 'passed > 0 && next <= total',
    tests: ['shared/src/contract/paging.test.ts'],
  },
  {
    name: 'the sentinel that answers first names the master',
    file: 'shared/src/redis/newest-master.ts',
    find: 'found.sort((one, other) => other.epoch - one.epoch || votes(other) - votes(one))',
    replace: 'found.sort((one, other) => votes(other) - votes(one))',
    tests: ['shared/src/redis/newest-master.test.ts'],
  },
];
