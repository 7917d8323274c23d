import { type JsonObject, objectOf, textOf } from '../json.ts';
import type { Answer, Ask } from '../runtime.ts';
import { answersOf, approvalOptions, askQuestions, decisionOf, questionsOf } from '../session/questions.ts';

/** What opencode asks, and where it wants which reply. */
export interface OpencodeAsk {
  ask: Ask;
  path: string;
  reply(answer: Answer): JsonObject;
}

/** @param call the tool that wants to run, with its input, if it is known */
export function askPermission(params: JsonObject, call: { name: string; input: unknown } | undefined): OpencodeAsk {
  const { id, permission, patterns, always, metadata, tool } = params;
  const wide = listOf(always).join(', ');
  const options = approvalOptions(wide && `Always allow ${textOf(permission)} of ${wide} until the end of the task`);
  const shown = call ?? { name: textOf(permission), input: objectOf(metadata) };
  const ask: Ask = {
    key: textOf(objectOf(tool).callID) ? `${textOf(objectOf(tool).callID)}:${textOf(permission)}` : textOf(id),
    kind: 'approval',
    title: `${textOf(permission)}: ${listOf(patterns).join(', ')}`,
    tool: shown,
    options,
  };
  return {
    ask,
    path: `/permission/${textOf(id)}/reply`,
    reply(answer) {
      const { role, text } = decisionOf(options, answer);
      if (role === 'allow' || role === 'allow_always') return { reply: role === 'allow' ? 'once' : 'always' };
      // Without words, opencode ends its turn.
      return { reply: 'reject', message: text || 'A person denies this' };
    },
  };
}

export function askQuestion({ id, questions: asked, tool }: JsonObject): OpencodeAsk {
  const questions = questionsOf(asked);
  return {
    ask: askQuestions(textOf(objectOf(tool).callID) || textOf(id), questions),
    path: `/question/${textOf(id)}/reply`,
    reply: (answer) => ({ answers: answersOf(questions, answer) ?? questions.map(() => []) }),
  };
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);
