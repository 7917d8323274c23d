import type { Lease } from '@agent-fleet/sdk';
import type { Answer, Ask, AskOption } from '../messages.ts';
import type { Redactor } from '../redaction.ts';
import { toolDigest } from './tool-digest.ts';

type Resumed = NonNullable<Lease['resume']>['answers'][number];

type Asked = Pick<Ask, 'key' | 'title'> & { options?: readonly Pick<AskOption, 'id' | 'label'>[] };

interface Known {
  key: string;
  title: string;
  digest: string | undefined;
  labels: string[];
  answer: Answer;
}

export type EarlierAnswers = ReturnType<typeof createEarlierAnswers>;

/** Answers to what was asked before the program was started (again): each is used once. */
export function createEarlierAnswers(resumed: readonly Resumed[], redactor: Redactor) {
  const known = new Map<string, Known>();
  const deferred = new Set<string>();
  const remember = ({ key, title, options = [] }: Asked, digest: string | undefined, answer: Answer) => {
    const labels = options.filter(({ id }) => answer?.option_ids?.includes(id)).map(({ label }) => label);
    known.set(key, { key, title, digest, labels, answer });
  };
  const digestOf = ({ tool }: Ask) => tool && toolDigest(redactor.json(tool) as typeof tool);
  for (const asked of resumed) remember(asked, asked.tool?.digest, asked.answer as Answer);

  return {
    add: (ask: Ask, answer: Answer) => remember(ask, digestOf(ask), answer),
    /** Of the same question, or where a runtime cannot ask it again, of the same call of a tool. */
    take(ask: Ask): Answer | undefined {
      const digest = digestOf(ask);
      const same = [...known.values()].find((earlier) => digest !== undefined && earlier.digest === digest);
      const found = known.get(ask.key) ?? same;
      if (found !== undefined) known.delete(found.key);
      return found?.answer;
    },
    /** The session asks this again. */
    defer: (key: string) => void deferred.add(key),
    deferred: () => [...deferred],
    /** What to tell the agent of answers that nothing will ask for; empty where the session goes on by itself. */
    prompt(): string {
      if (deferred.size > 0) return '';
      const texts = [...known.values()].map(describe);
      return texts.length === 0 ? 'Go on.' : `${INTRODUCTION}\n\n${texts.join('\n\n')}`;
    },
  };
}

const INTRODUCTION = 'A person has answered what you asked. A call that was allowed has not run: make it again.';

function describe({ title, labels, answer }: Known): string {
  const { text, values } = answer ?? {};
  const parts = [labels.join(', '), text, values && JSON.stringify(values)].filter((part) => part);
  return `${title}\n${parts.join('\n') || 'Nobody has answered.'}`;
}
