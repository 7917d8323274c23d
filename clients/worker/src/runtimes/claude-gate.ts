import { DETAILS } from './claude-entries.ts';
import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from './json.ts';
import { DENIED, isOfServer } from './rules.ts';
import type { Answer, Ask, RuntimeEvent, RuntimeJob } from './runtime.ts';
import { Asks } from './session/asks.ts';
import { answersOf, approvalOptions, askQuestions, decisionOf, questionsOf } from './session/questions.ts';

/** In `initialize`: the calls of these tools come as `hook_callback` first, where they can still be deferred. */
export const gateOf = ({ rules }: Pick<RuntimeJob, 'rules'>) => {
  const matcher = rules.restrictions.length > 0 ? '.*' : 'Bash|AskUserQuestion';
  return { PreToolUse: [{ matcher, hookCallbackIds: ['gate'], timeout: 604_800 }] };
};
export type GateJob = Pick<RuntimeJob, 'permissions' | 'approvals' | 'rules' | 'folders'>;
const OPTIONS = approvalOptions('Allow, also others like it in this session');
const NOBODY = 'This is not permitted here, and nobody can permit it: go on without it';
const REFUSED = 'A person has not permitted this: go on without it';
const LATER = 'Only one call can wait for a person: make this call again after the other one';
/** Commands on which Claude Code decides by itself: they only read, or make files, by their arguments alone. */
const PLAIN =
  /^(?:(?:pwd|ls|cat|head|tail|wc|stat|file|du|grep|mkdir|touch)|git (?:status|diff|log|show))(?: [^;&|<>`$()\n\\]*)?$/;

/** A call that waits for a person. */
interface Waiting {
  requestId: string;
  /** Whether it still can be deferred. */
  isHook: boolean;
  tool: string;
  input: JsonObject;
  suggestions: unknown;
}

/** Decides on the calls of tools: by itself, or by asking a person. `send` answers a request of Claude Code. */
export class ClaudeGate {
  readonly #job: GateJob;
  readonly #respond: (requestId: string, response: unknown) => void;
  /** The key of what is asked is the id of the call. */
  readonly #asks = new Asks<Waiting>();
  /** What a person has allowed, until the call runs. */
  readonly #allowed = new Map<string, { input: JsonObject; isAlways: boolean }>();
  /** Calls that a person has denied, until their results. */
  readonly #denied = new Map<string, RuntimeEvent>();
  /** Rules of this session, such as `npm test *`: the gate lets pass what they may allow, and Claude Code decides. */
  readonly #rules: string[] = [];
  isSandboxed = false;
  #isDeferring = false;

  constructor(job: GateJob, respond: (requestId: string, response: unknown) => void) {
    this.#job = job;
    this.#respond = respond;
  }

  *readHook(requestId: string, { input: hook, tool_use_id: id }: JsonObject): Generator<RuntimeEvent> {
    const { tool_name: name, tool_input: given, tool_use_id: ownId } = objectOf(hook);
    const [tool, input, callId] = [textOf(name), objectOf(given), textOf(ownId) || textOf(id)];
    const waiting = { requestId, isHook: true, tool, input, suggestions: undefined };
    const verdict = this.#verdict(tool, input);
    const isAsked = verdict === 'ask' || (tool === 'Bash' && this.#mustAsk(textOf(input.command)));
    if (verdict === 'deny' || (verdict === 'ask' && this.#job.approvals === 'deny')) {
      this.#denied.set(callId, { type: 'denied', tool, detail: detailOf(input, DETAILS) });
      this.#deny(waiting, DENIED);
    } else if (isAsked || tool === 'AskUserQuestion') yield* this.#ask(callId, waiting);
    else this.#respond(requestId, {});
  }

  /** The worker's relay decides on the tools of servers. */
  #verdict(tool: string, input: JsonObject) {
    const { rules, folders } = this.#job;
    return isOfServer(tool) ? undefined : rules.verdict(tool, input, folders.workspace);
  }

  #mustAsk(command: string): boolean {
    const { permissions, approvals } = this.#job;
    if (permissions === 'full' || approvals === 'deny' || this.isSandboxed || PLAIN.test(command)) return false;
    // `npm test *` also is for the command without arguments.
    return !this.#rules.some(
      (rule) => command === rule || (rule.endsWith('*') && `${command} `.startsWith(rule.slice(0, -1))),
    );
  }

  *readPermission(requestId: string, request: JsonObject): Generator<RuntimeEvent> {
    const [tool, input, callId] = [textOf(request.tool_name), objectOf(request.input), textOf(request.tool_use_id)];
    const allowed = this.#allowed.get(callId);
    const { permission_suggestions: suggestions } = request;
    const waiting = { requestId, isHook: false, tool, input, suggestions };
    if (allowed !== undefined) this.#allow(waiting, allowed.input, allowed.isAlways);
    // Claude Code asks for commands that it cannot analyze; none leaves the sandbox.
    else if (tool === 'Skill' || isOfServer(tool) || (tool === 'Bash' && this.isSandboxed)) {
      this.#allow(waiting, input, false);
    } else if (tool === 'AskUserQuestion' || this.#job.approvals === 'ask') yield* this.#ask(callId, waiting);
    else {
      this.#respond(requestId, { behavior: 'deny', message: NOBODY });
      yield { type: 'denied', tool, detail: detailOf(input, DETAILS) };
    }
  }

  *#ask(callId: string, waiting: Waiting): Generator<RuntimeEvent> {
    if (this.#isDeferring) {
      this.#deny(waiting, LATER);
      return;
    }
    yield this.#asks.ask(toAsk(callId, waiting), waiting, (answer) => this.#decide(callId, waiting, answer));
  }

  answer = (key: string, answer: Answer): void => this.#asks.answer(key, answer);

  #decide(key: string, waiting: Waiting, answer: Answer): void {
    const { tool, input } = waiting;
    if (tool === 'AskUserQuestion') {
      const questions = questionsOf(input.questions);
      const answers = answersOf(questions, answer);
      const given = questions.map(({ question }, at) => [question, answers?.[at]?.join(', ') ?? '']);
      const filled = Object.fromEntries(given.filter(([, text]) => text !== ''));
      if (answers === undefined) this.#deny(waiting, decisionOf([], answer).text);
      else this.#grant(key, waiting, { ...input, answers: filled }, false);
      return;
    }
    const { role, text } = decisionOf(OPTIONS, answer);
    if (role === 'allow' || role === 'allow_always') {
      const edited = answer?.tool_input === undefined ? input : objectOf(answer.tool_input);
      this.#grant(key, waiting, edited, role === 'allow_always');
    } else {
      this.#denied.set(key, { type: 'denied', tool, detail: detailOf(input, DETAILS) });
      this.#deny(waiting, text || REFUSED);
    }
  }

  #grant(key: string, waiting: Waiting, input: JsonObject, isAlways: boolean): void {
    if (waiting.isHook) {
      this.#allowed.set(key, { input, isAlways });
      // A permission for the session is given where Claude Code suggests the rule: it asks for that next.
      this.#respondHook(waiting, isAlways ? {} : { permissionDecision: 'allow', updatedInput: input });
    } else this.#allow(waiting, input, isAlways);
  }

  #allow({ requestId, suggestions }: Waiting, input: JsonObject, isAlways: boolean): void {
    const updates = isAlways ? objectsOf(suggestions).map((update) => ({ ...update, destination: 'session' })) : [];
    const rules = updates.flatMap((update: JsonObject) => objectsOf(update.rules));
    this.#rules.push(...rules.map(({ ruleContent }) => textOf(ruleContent)).filter((rule) => rule !== ''));
    const more = updates.length > 0 && { updatedPermissions: updates };
    this.#respond(requestId, { behavior: 'allow', updatedInput: input, ...more });
  }

  #deny(waiting: Waiting, message: string): void {
    if (!waiting.isHook) this.#respond(waiting.requestId, { behavior: 'deny', message });
    else this.#respondHook(waiting, { permissionDecision: 'deny', permissionDecisionReason: message });
  }

  #respondHook({ requestId }: Waiting, decision: object): void {
    this.#respond(requestId, { continue: true, hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } });
  }

  /** Of a call whose result has come. */
  *readDenial(callId: string): Generator<RuntimeEvent> {
    const denied = this.#denied.get(callId);
    this.#allowed.delete(callId);
    if (this.#denied.delete(callId) && denied !== undefined) yield denied;
  }

  /** Claude Code no longer waits for this answer; default: for any. */
  withdraw(requestId?: unknown): Generator<RuntimeEvent> {
    return this.#asks.withdraw((waiting) => requestId === undefined || waiting.requestId === requestId);
  }

  /** Defers one call, which the resumed session asks again; of two that are deferred one is lost. False without any. */
  defer(): boolean {
    const [first, ...others] = this.#asks.askers().filter(({ isHook }) => isHook);
    if (first === undefined) return false;
    this.#isDeferring = true;
    for (const waiting of others) this.#deny(waiting, LATER);
    this.#respondHook(first, { permissionDecision: 'defer' });
    return true;
  }
}

function toAsk(key: string, { tool, input }: Waiting): Ask {
  if (tool === 'AskUserQuestion') return askQuestions(key, questionsOf(input.questions));
  const summary = detailOf(input, DETAILS);
  const title = `${tool}: ${summary}`;
  const text = textOf(input.description);
  const more = text !== '' && text !== summary && { text };
  return { key, kind: 'approval', title, ...more, tool: { name: tool, input }, options: OPTIONS, input_editable: true };
}
