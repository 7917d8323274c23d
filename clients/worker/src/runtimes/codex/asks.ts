import { type JsonObject, objectsOf, textOf } from '../json.ts';
import type { Answer, Ask } from '../runtime.ts';
import { answersOf, approvalOptions, askQuestions, decisionOf, questionsOf } from '../session/questions.ts';

/** What Codex asks, and what it is told. */
export interface CodexAsk {
  ask: Ask;
  /** The result of its request; `words` go with a denial, for which Codex has no field. */
  reply(answer: Answer): { result: JsonObject; words?: string };
}

/** Where a call would run, and what it would change. */
interface Place {
  workspace: string;
  changes: readonly JsonObject[];
}

/** Undefined for what nobody is asked: a request of another kind, or one that does not show what it would do. */
export function toAsk(method: string, params: JsonObject, { workspace, changes }: Place): CodexAsk | undefined {
  const key = textOf(params.approvalId) || textOf(params.itemId);
  if (method === 'item/tool/requestUserInput') return askUser(key, params.questions);
  const text = `${textOf(params.reason)}\n\nOutside of the sandbox of this task.`.trim();
  const isMore = params.additionalPermissions || params.networkApprovalContext;
  if (method === 'item/commandExecution/requestApproval' && textOf(params.command) !== '' && !isMore) {
    const { command, cwd, kind } = params;
    // The same call is the same in another attempt, whose workspace is another folder.
    const input = { command, ...(cwd !== workspace && { cwd }), ...(kind !== 'command' && { kind }) };
    const always = 'Always allow exactly this command until the end of the task';
    return approve({ key, kind: 'approval', title: `Run ${command}`, text, tool: { name: 'shell', input } }, always);
  }
  if (method === 'item/fileChange/requestApproval' && changes.length > 0) {
    const title = `Change ${changes.map(({ path }) => path).join(', ')}`;
    const always = 'Always allow all changes of these files until the end of the task';
    const tool = { name: 'apply_patch', input: { changes } };
    return approve({ key, kind: 'approval', title, text, tool }, always);
  }
  return undefined;
}

function approve(ask: Ask, always: string): CodexAsk {
  const options = approvalOptions(always);
  return {
    ask: { ...ask, options },
    reply(answer) {
      const { role, text } = decisionOf(options, answer);
      if (role === 'allow_always') return { result: { decision: 'acceptForSession' } };
      return role === 'allow' ? { result: { decision: 'accept' } } : { result: { decision: 'decline' }, words: text };
    },
  };
}

function askUser(key: string, asked: unknown): CodexAsk {
  const questions = questionsOf(asked);
  return {
    ask: askQuestions(key, questions),
    reply(answer) {
      const given = answersOf(questions, answer);
      const answers = objectsOf(asked).map(({ id }, at) => [textOf(id), { answers: given?.[at] ?? [] }]);
      return { result: { answers: given === undefined ? {} : Object.fromEntries(answers) } };
    },
  };
}
