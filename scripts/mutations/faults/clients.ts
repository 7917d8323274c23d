import type { Mutation } from '../mutation.ts';

export const CLIENTS_FAULTS: readonly Mutation[] = [
  {
    name: 'the SDK repeats a POST that may have had its effect',
    file: 'clients/sdk/src/send.ts',
    find: "return status === 429 || NOT_SENT.has(cause?.code ?? '');",
    replace: "return status !== 429 || NOT_SENT.has(cause?.code ?? '');",
    tests: ['clients/sdk/test/client-cases.test.ts'],
  },
  {
    name: 'the command line prints marks that reverse the direction of writing',
    file: 'clients/cli/src/output/safe-text.ts',
    find: '[\\p{Cc}\\p{Bidi_Control}',
    replace: '[\\p{Cc}',
    tests: ['clients/cli/test/output/safe-text.test.ts'],
  },
  {
    name: 'a link of a skill leads out of its folder',
    file: 'clients/skills/src/content/links.ts',
    find: 'if (at.length === 0) throw refused(`the link ',
    replace: 'if (at.length < 0) throw refused(`the link ',
    tests: ['clients/cli/test/skills/hostile-folders.test.ts'],
  },
  {
    name: 'a worker that was cut off works on after its lease has expired',
    file: 'clients/worker/src/heartbeats.ts',
    find: 'this.#expiry = setTimeout(() => this.#lose(), ms);',
    replace: '',
    tests: ['clients/worker/test/deadlines.long.test.ts'],
  },
  {
    name: 'a worker that stops fails its task in place of releasing it',
    file: 'clients/worker/src/lease-run.ts',
    find: "code === 'worker_stopped'",
    replace: 'false',
    tests: ['clients/worker/test/stop.test.ts'],
  },
  {
    name: 'a secret in the middle of a Base64 text is not redacted',
    file: 'clients/worker/src/redaction.ts',
    find: 'const base64 = [0, 1, 2].map',
    replace: 'const base64 = [0].map',
    tests: ['clients/worker/test/attempt/redaction.test.ts'],
  },
  {
    name: 'requests that run at once are not held against the budget',
    file: 'clients/worker/src/proxy/account.ts',
    find: 'this.#totals.spent() + held + hold <= maxCost',
    replace: 'this.#totals.spent() + hold <= maxCost',
    tests: ['clients/worker/test/proxy/budget.test.ts'],
  },
  {
    name: 'a repository of another host is allowed',
    file: 'clients/worker/src/workspace/repository-url.ts',
    find: 'if (prefix.scheme !== repository.scheme || prefix.host !== repository.host) return false;',
    replace: 'if (prefix.scheme !== repository.scheme) return false;',
    tests: ['clients/worker/test/workspace/repository-url.test.ts'],
  },
  {
    name: 'a link in Markdown may run a script',
    file: 'clients/web/src/markdown/addresses.ts',
    find: 'if (!PROTOCOLS.has(address.protocol)) return undefined;',
    replace: '',
    tests: ['clients/web/test/markdown/rendering.test.ts'],
  },
  {
    name: 'relative times are rounded up',
    file: 'clients/sdk/src/words.ts',
    find: 'toWhole = Math.floor',
    replace: 'toWhole = Math.ceil',
    tests: ['clients/sdk/test/words.test.ts'],
  },
];
