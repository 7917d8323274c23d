import { realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { detailOf, type JsonObject, objectOf, objectsOf, textOf } from '../json.ts';
import type { RuntimeEvent, RuntimeJob } from '../runtime.ts';

const READS = new Set(['read', 'search', 'think']);
const ALLOW = ['allow_once', 'allow_always'];
const REJECT = ['reject_once', 'reject_always'];

interface Answer {
  outcome: { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };
  denied: Extract<RuntimeEvent, { type: 'denied' }> | undefined;
}

/**
 * Answers a `session/request_permission`. `read-only` allows reads below the attempt's folders and what `isHarmless`
 * names; `edit` allows all tools, commands too, whose files are below them; `full` allows everything. Never for longer
 * than this call.
 */
export function answerPermission(
  params: JsonObject,
  job: Pick<RuntimeJob, 'permissions' | 'folders'>,
  isHarmless: (toolCallId: string) => boolean,
): Answer {
  const call = objectOf(params.toolCall);
  const isAllowed = mayCall(call, job, isHarmless);
  const option = chooseOption(objectsOf(params.options), isAllowed ? ALLOW : REJECT);
  const denied = { type: 'denied', tool: toolName(call), detail: detailOf(call, ['title', 'toolCallId']) } as const;
  return {
    outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option },
    denied: isAllowed && option !== undefined ? undefined : denied,
  };
}

/** The name of a tool where the agent says it, else its kind. */
export function toolName(call: JsonObject): string {
  return textOf(call.name) || textOf(call.kind) || 'tool';
}

function mayCall(
  call: JsonObject,
  { permissions, folders }: Pick<RuntimeJob, 'permissions' | 'folders'>,
  isHarmless: (toolCallId: string) => boolean,
): boolean {
  if (permissions === 'full') return true;
  const isRead = READS.has(textOf(call.kind)) || isHarmless(textOf(call.toolCallId));
  if (permissions === 'read-only' && !isRead) return false;
  const { workspace, home, tmp, skills } = folders;
  const allowed = isRead ? [workspace, home, tmp, skills] : [workspace, tmp];
  return objectsOf(call.locations).every(({ path }) => {
    const real = realPath(resolve(workspace, textOf(path)));
    return allowed.map(realPath).some((folder) => real === folder || real.startsWith(folder + sep));
  });
}

/** Links resolved, for a path that need not exist: a repository's links lead anywhere. */
function realPath(path: string): string {
  const parent = dirname(path);
  try {
    return realpathSync(path);
  } catch {
    return parent === path ? path : resolve(realPath(parent), path.slice(parent.length).replace(/^\/+/, ''));
  }
}

function chooseOption(options: JsonObject[], kinds: readonly string[]): string | undefined {
  const found = kinds.map((kind) => options.find((option) => option.kind === kind)?.optionId);
  return found.find((id) => typeof id === 'string');
}
