import type { Mutation } from '../mutation.ts';

export const REGISTRY_FAULTS: readonly Mutation[] = [
  {
    name: 'a redirect leads from a public to an internal address',
    file: 'services/registry/src/fetch/exchange.ts',
    find: 'mayBeInternal &&= watch.sawInternal;',
    replace: '',
    tests: ['services/registry/test/fetch/redirects.test.ts'],
  },
  {
    name: 'the password of a source is sent to where it redirects',
    file: 'services/registry/src/fetch/exchange.ts',
    find: ' && target.origin === credentials.origin',
    replace: '',
    tests: ['services/registry/test/fetch/http.test.ts'],
  },
  {
    name: 'the path of a skill leads out of its repository',
    file: 'services/registry/src/normalise/locations/repository-address.ts',
    find: "return !path.includes('..') || !path.split(/[/\\\\]/).includes('..');",
    replace: 'return true;',
    tests: ['services/registry/src/normalise/locations/locations.test.ts'],
  },
  {
    name: 'two descriptions of one source are merged into one skill',
    file: 'services/registry/src/merge/group-records.ts',
    find: 'known.upstreamId === now.upstreamId && isEqualOrMissing(known.description, now.description)',
    replace: 'known.upstreamId === now.upstreamId',
    tests: ['services/registry/test/build/merging.test.ts'],
  },
  {
    name: 'a replica with an older snapshot replaces a newer one',
    file: 'services/registry/src/store/commit-snapshot-2.lua',
    find: "type(meta.at) == 'number' and meta.at >= at then return 0 end",
    replace: "type(meta.at) == 'number' and meta.at == at then return 0 end",
    tests: ['services/registry/test/redis-snapshot-store.test.ts'],
  },
  {
    name: 'a word in the name of a skill counts no more than one in its description',
    file: 'services/registry/src/search/gains.ts',
    find: '[NAMES, 22],',
    replace: '[NAMES, 12],',
    tests: ['services/registry/test/search/ranking.test.ts'],
  },
  {
    name: 'a response in another coding has the same ETag',
    file: 'services/registry/src/serve/http/validators.ts',
    find: "return coding === 'identity' ? ",
    replace: 'return coding ? ',
    tests: ['e2e/spec.test.ts'],
  },
  {
    name: 'a skill that was removed and came back counts as new',
    file: 'services/registry/src/changes/change-log.ts',
    find: "before === 'removed' ? 'changed' : 'added'",
    replace: "'added'",
    tests: ['services/registry/src/changes/change-log.test.ts'],
  },
];
