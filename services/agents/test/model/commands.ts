import fc from 'fast-check';
import type { GivenTask, Report } from './model.ts';
import type { Passing } from './operations.ts';

/** What a command leaves open is chosen among what there is when it is run, by `pick`. */
interface Choice {
  /** Which replica is asked. */
  replica: number;
  pick: number;
  /** Among all that ever was, rather than among what the command is meant for. */
  stray: boolean;
}

type TaskFields = Omit<GivenTask, 'message'>;

export type SingleCommand = Choice &
  (
    | { kind: 'create'; given: TaskFields; keyed: boolean }
    | { kind: 'repeatCreate' }
    | { kind: 'batch'; given: (TaskFields | null)[] }
    | { kind: 'replace'; given: TaskFields; match: 'none' | 'current' | 'stale' }
    | { kind: 'delete'; match: 'none' | 'current' | 'stale' }
    | { kind: 'cancel'; reason: string | null }
    | { kind: 'lease'; max: number; byType: boolean }
    | { kind: 'heartbeat'; percent: number | null; token: Token }
    | { kind: 'result'; report: Report; token: Token }
    | { kind: 'repeatResult'; token: Token }
    | { kind: 'release'; token: Token }
    | { kind: 'replaceAgent'; type: number }
    | { kind: 'deleteAgent' }
    | { kind: 'pass'; what: Passing }
  );

/** The token that a worker sends: its own, that of another lease, or a wrong one. */
export type Token = 'own' | 'other' | 'wrong';

/** Two concurrent commands, on the same task if possible. */
interface PairCommand {
  kind: 'pair';
  left: SingleCommand;
  right: SingleCommand;
}

/** A worker that continues after its lease has expired, before the timer is handled. */
interface LateCommand {
  kind: 'late';
  what: 'lease' | 'timeout';
  pick: number;
  message: SingleCommand;
}

export type Command = SingleCommand | PairCommand | LateCommand;

const error = (retryable: boolean) => ({ code: 'exit_1', message: 'no', retryable });
const REPORTS: Report[] = [
  { status: 'completed', result: { ok: 1 } },
  { status: 'completed' },
  { status: 'failed', error: error(true) },
  { status: 'failed', error: error(true) },
  { status: 'failed' },
  { status: 'failed', error: error(false), result: 7 },
  { status: 'cancelled' },
  { status: 'cancelled', error: error(true), result: [] },
];
export const TAGS = ['red', 'blue', 'a:b c'];

const fields: fc.Arbitrary<TaskFields> = fc.record({
  priority: fc.constantFrom(1, 5, 5, 9),
  max_attempts: fc.integer({ min: 1, max: 3 }),
  tags: fc.option(fc.subarray(TAGS), { freq: 3 }),
  retryWaits: fc.boolean(),
  scheduled: oneIn(5),
});
const match = fc.constantFrom('none' as const, 'none' as const, 'current' as const, 'stale' as const);
const token = fc.constantFrom<Token>('own', 'own', 'own', 'own', 'other', 'wrong');
const report = fc.constantFrom(...REPORTS);

const choice = { replica: fc.integer({ min: 0, max: 1 }), pick: fc.nat(1_000), stray: oneIn(5) };
const kind = <K extends string, R extends object>(name: K, record: { [P in keyof R]: fc.Arbitrary<R[P]> }) =>
  fc.record({ kind: fc.constant(name), ...choice, ...record } as never) as fc.Arbitrary<never>;

const create = kind('create', { given: fields, keyed: oneIn(3) });
const repeatCreate = kind('repeatCreate', {});
const batch = kind('batch', { given: fc.array(fc.option(fields, { freq: 5 }), { minLength: 1, maxLength: 4 }) });
const replace = kind('replace', { given: fields, match });
const remove = kind('delete', { match });
const cancel = kind('cancel', { reason: fc.constantFrom(null, 'no longer needed') });
const lease = kind('lease', { max: fc.integer({ min: 1, max: 3 }), byType: fc.boolean() });
const heartbeat = kind('heartbeat', { percent: fc.option(fc.constantFrom(0, 40, 100)), token });
const result = kind('result', { report, token });
const repeatResult = kind('repeatResult', { token });
const release = kind('release', { token });
const replaceAgent = kind('replaceAgent', { type: fc.nat(10) });
const deleteAgent = kind('deleteAgent', {});
const pass = kind('pass', { what: fc.constantFrom('lease', 'lease', 'timeout', 'expiry', 'start', 'retention') });

const message: fc.Arbitrary<SingleCommand> = fc.oneof(heartbeat, result, result, release);
const single: fc.Arbitrary<SingleCommand> = fc.oneof(
  { weight: 14, arbitrary: create },
  { weight: 3, arbitrary: repeatCreate },
  { weight: 4, arbitrary: batch },
  { weight: 6, arbitrary: replace },
  { weight: 4, arbitrary: remove },
  { weight: 7, arbitrary: cancel },
  { weight: 24, arbitrary: lease },
  { weight: 6, arbitrary: heartbeat },
  { weight: 16, arbitrary: result },
  { weight: 4, arbitrary: repeatResult },
  { weight: 5, arbitrary: release },
  { weight: 2, arbitrary: replaceAgent },
  { weight: 1, arbitrary: deleteAgent },
  { weight: 8, arbitrary: pass },
);
const pair = fc.record({ kind: fc.constant('pair' as const), left: single, right: single });
const late = fc.record({
  kind: fc.constant('late' as const),
  what: fc.constantFrom('lease' as const, 'timeout' as const),
  pick: fc.nat(1_000),
  message,
});

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 15, arbitrary: single },
  { weight: 6, arbitrary: pair },
  { weight: 2, arbitrary: late },
);

/** The commands of a history. It starts with a few tasks. */
export const history: fc.Arbitrary<Command[]> = fc
  .tuple(batch, create, fc.array(command, { minLength: 8, maxLength: 22, size: 'max' }))
  .map(([first, second, rest]) => [first, second, ...rest]);

/** True once in `n` times. */
function oneIn(n: number): fc.Arbitrary<boolean> {
  return fc.nat(n - 1).map((drawn) => drawn === 0);
}
