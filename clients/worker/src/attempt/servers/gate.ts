import type { Ask, AskOption } from '../../messages.ts';
import { DENIED } from '../../runtimes/rules.ts';
import type { RuntimeJob } from '../../runtimes/runtime.ts';
import { approvalOptions } from '../../runtimes/session/questions.ts';
import type { Mediator } from '../mediator.ts';
import { toolDigest } from '../tool-digest.ts';

const REFUSED = 'This is not permitted: go on without it';
const OPTIONS = approvalOptions('Allow, also all other calls of this tool until the end of the attempt');
const MAX_DETAIL = 200;

interface GateOptions extends Pick<RuntimeJob, 'permissions' | 'approvals' | 'rules'> {
  workspace: string;
  permit(ask: Ask & { options: AskOption[] }, signal: AbortSignal): ReturnType<Mediator['permit']>;
  onDenied(tool: string, detail: string): void;
}

/** Decides on calls of MCP servers, which may do anything: with `read-only`, a person on all that no rule allows. */
export function createGate({ rules, permissions, approvals, workspace, permit, onDenied }: GateOptions) {
  const always = new Set<string>();
  const counts = new Map<string, number>();
  return async (server: string, tool: string, input: unknown, signal: AbortSignal): Promise<string | undefined> => {
    const name = `mcp__${server}__${tool}`;
    const verdict = rules.verdict(name, input, workspace) ?? (permissions === 'read-only' ? 'ask' : 'allow');
    if (verdict === 'allow' || (verdict === 'ask' && always.has(name))) return undefined;
    const [shown, call] = [JSON.stringify(input), { name, input }];
    let refusal = verdict === 'deny' ? DENIED : REFUSED;
    if (verdict === 'ask' && approvals === 'ask') {
      const key = toolDigest(call);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const ask = { key: `${key}:${count}`, kind: 'approval', title: `${name}: ${shown}`, tool: call } as const;
      const { role, text } = await permit({ ...ask, options: OPTIONS }, signal);
      if (role === 'allow_always') always.add(name);
      if (role !== 'deny') return undefined;
      refusal = text || REFUSED;
    }
    onDenied(name, shown.slice(0, MAX_DETAIL));
    return refusal;
  };
}
