import { resolve, sep } from 'node:path';
import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import { realPath } from '../rules.ts';
import {
  type Answer,
  type Ask,
  type AskOption,
  type AttemptFolders,
  nameIn,
  type RuntimeEvent,
  type RuntimeJob,
} from '../runtime.ts';

const READS = new Set(['read', 'search', 'think']);
const ALLOW = ['allow_once', 'allow_always'];
const REJECT = ['reject_once', 'reject_always'];

/** As the protocol has it. */
export type Outcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };

const ROLES = { allow_once: 'allow', allow_always: 'allow_always' } as const;

/** A decision on a call without asking anyone: `allow` only for longer than this call if there is no other option. */
export function decide(params: JsonObject, isAllowed: boolean): Outcome {
  const optionId = chooseOption(objectsOf(params.options), isAllowed ? ALLOW : REJECT);
  return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId };
}

export function describeDenial(params: JsonObject): Extract<RuntimeEvent, { type: 'denied' }> {
  const call = objectOf(params.toolCall);
  return { type: 'denied', tool: toolName(call), detail: detailOf(call, ['title', 'toolCallId']) };
}

/** What a person is asked; the options are those of the agent, in its words. */
export function toApproval(params: JsonObject, { workspace }: AttemptFolders): Ask & { options: AskOption[] } {
  const call = objectOf(params.toolCall);
  const { title, rawInput, content, locations } = call;
  // The same call is the same in another attempt, whose workspace is another folder.
  const inWorkspace = (part: JsonObject) => ({
    ...part,
    ...('path' in part && { path: nameIn(workspace, textOf(part.path)) }),
  });
  const input = rawInput ?? {
    title,
    ...(content !== undefined && { content: objectsOf(content).map(inWorkspace) }),
    ...(locations !== undefined && { locations: objectsOf(locations).map(inWorkspace) }),
  };
  const options = objectsOf(params.options).map(({ name, kind }, at) => ({
    id: `option_${at + 1}`,
    label: textOf(name),
    role: ROLES[kind as keyof typeof ROLES] ?? ('deny' as const),
  }));
  const name = toolName(call);
  const key = textOf(call.toolCallId);
  return {
    key,
    kind: 'approval',
    title: `${name}: ${textOf(objectOf(input).command) || detailOf(call, ['title'])}`,
    tool: { name, input },
    options,
  };
}

/** What the rules of the definition say of a call. */
export function verdictOf(params: JsonObject, { rules, folders }: Pick<RuntimeJob, 'rules' | 'folders'>) {
  const call = objectOf(params.toolCall);
  const { name, kind, title, locations, content, rawInput } = call;
  const input = { title, locations, content, ...objectOf(rawInput) };
  const verdicts = [name, kind].map((each) => rules.verdict(textOf(each), input, folders.workspace));
  return (['deny', 'ask', 'allow'] as const).find((verdict) => verdicts.includes(verdict));
}

/** The agent's option that a person has chosen. */
export function toOutcome(params: JsonObject, options: readonly AskOption[], answer: Answer): Outcome {
  const at = options.findIndex(({ id }) => answer?.option_ids?.[0] === id);
  const optionId = objectsOf(params.options)[at]?.optionId;
  return typeof optionId === 'string' ? { outcome: 'selected', optionId } : decide(params, false);
}

/** The name of a tool where the agent says it, else its kind. */
export function toolName(call: JsonObject): string {
  return textOf(call.name) || textOf(call.kind) || 'tool';
}

/**
 * Whether a call is allowed without asking. `read-only` allows reads below the attempt's folders and what `isHarmless`
 * names; `edit` allows all tools, commands too, whose files are below them; `full` allows everything.
 */
export function mayCall(
  { toolCall }: JsonObject,
  { permissions, folders, servers }: Pick<RuntimeJob, 'permissions' | 'folders' | 'servers'>,
  isHarmless: (toolCallId: string) => boolean = () => false,
): boolean {
  if (permissions === 'full') return true;
  const call = objectOf(toolCall);
  const isRead = READS.has(textOf(call.kind)) || isHarmless(textOf(call.toolCallId)) || isOurs(call, servers);
  if (permissions === 'read-only' && !isRead) return false;
  const { workspace, home, tmp, skills } = folders;
  const allowed = isRead ? [workspace, home, tmp, skills] : [workspace, tmp];
  return objectsOf(call.locations).every(({ path }) => {
    const real = realPath(resolve(workspace, textOf(path)));
    return allowed.map(realPath).some((folder) => real === folder || real.startsWith(folder + sep));
  });
}

/** A tool by the worker's own servers. A model may call its commands so too, which are of another kind. */
function isOurs({ kind, title }: JsonObject, servers: RuntimeJob['servers']): boolean {
  if (kind !== 'other') return false;
  const isTool = ({ name }: { name: string }) => textOf(title).startsWith(`mcp__${name}__`);
  return /^(?:mcp__fleet__)?ask_person$/.test(textOf(title)) || servers.some(isTool);
}

function chooseOption(options: JsonObject[], kinds: readonly string[]): string | undefined {
  const found = kinds.map((kind) => options.find((option) => option.kind === kind)?.optionId);
  return found.find((id) => typeof id === 'string');
}
