import { objectsOf, textOf } from '../json.ts';
import type { Answer, Ask, AskOption } from '../runtime.ts';

/** A question of an agent, in the form that the tools of the runtimes share. */
export interface Question {
  question: string;
  /** A word or two. */
  header: string;
  options: { label: string; description: string }[];
  multiple: boolean;
}

/** The questions of a call of such a tool. */
export function questionsOf(asked: unknown): Question[] {
  return objectsOf(asked).map(({ question, header, options, multiple, multiSelect }) => ({
    question: textOf(question),
    header: textOf(header),
    options: objectsOf(options).map(({ label, description }) => ({
      label: textOf(label),
      description: textOf(description),
    })),
    multiple: multiple === true || multiSelect === true,
  }));
}

/** What an approval offers. `allow_always`: for this session, where the runtime can. */
export function approvalOptions(allowAlways?: string): AskOption[] {
  const always: AskOption[] = allowAlways ? [{ id: 'allow_always', label: allowAlways, role: 'allow_always' }] : [];
  return [{ id: 'allow', label: 'Allow', role: 'allow' }, ...always, { id: 'deny', label: 'Deny', role: 'deny' }];
}

/** What was decided on an approval, and in what words; without an answer it is denied. */
export function decisionOf(options: readonly AskOption[], answer: Answer): { role: AskOption['role']; text: string } {
  const chosen = options.find(({ id }) => answer?.option_ids?.[0] === id);
  const unanswered = answer === null ? 'Nobody has answered in time: go on without it' : '';
  return { role: chosen?.role ?? 'deny', text: answer?.text || unanswered };
}

const optionId = (at: number) => `option_${at + 1}`;
const fieldOf = (at: number) => `question_${at + 1}`;
const otherOf = (at: number) => `${fieldOf(at)}_other`;

/** One question with its options, or several as a form. */
export function askQuestions(key: string, questions: readonly Question[]): Ask {
  const [first, ...others] = questions;
  if (first !== undefined && others.length === 0) {
    const options = first.options.map((option, at) => ({ id: optionId(at), ...option }));
    const { question: text, multiple } = first;
    return { key, kind: 'question', title: text, text, options, multiple: multiple && options.length > 0 };
  }
  const properties = questions.flatMap(({ question, header, options, multiple }, at) => {
    const choice = { type: 'string', enum: options.map(({ label }) => label) };
    const field = options.length === 0 ? { type: 'string' } : multiple ? { type: 'array', items: choice } : choice;
    const other = { type: 'string', title: `${header || question}: another answer` };
    const described = [fieldOf(at), { ...field, title: header || question, description: question }] as const;
    return options.length === 0 ? [described] : [described, [otherOf(at), other] as const];
  });
  return {
    key,
    kind: 'form',
    title: questions.map(({ header, question }) => header || question).join(', ') || 'A question without a text',
    text: questions.map(describe).join('\n\n'),
    schema: { type: 'object', properties: Object.fromEntries(properties) },
  };
}

/** For people, as Markdown. */
function describe({ question, options }: Question): string {
  return [question, ...options.map(({ label, description }) => `- ${label}${description && `: ${description}`}`)].join(
    '\n',
  );
}

/** The answers to each question, labels and texts; undefined when nobody has answered. */
export function answersOf(questions: readonly Question[], answer: Answer): string[][] | undefined {
  if (answer === null) return undefined;
  const { option_ids: ids, text, values } = answer;
  return questions.map(({ options }, at) => {
    if (questions.length === 1) {
      const labels = options.filter((_, index) => ids?.includes(optionId(index))).map(({ label }) => label);
      return text ? [...labels, text] : labels;
    }
    const given = [values?.[fieldOf(at)], values?.[otherOf(at)]].flat();
    return given.filter((value): value is string => typeof value === 'string' && value !== '');
  });
}
