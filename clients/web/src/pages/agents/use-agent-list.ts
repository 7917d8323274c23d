import type { Agent } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { totalCount } from '../../api/total-count.ts';
import { type Query, useQuery } from '../../api/use-query.ts';
import type { AgentsQuery } from '../../requests/agents.ts';

export type AgentRow = Agent & { paused_at: string | null };

export interface AgentList {
  rows: readonly AgentRow[];
  total: number;
  /** Where the next page begins: a page may have fewer rows than its limit. */
  nextSkip: number | undefined;
}

export function useAgentList(query: AgentsQuery): Query<AgentList> {
  const load = async (signal: AbortSignal): Promise<AgentList> => {
    const { data, response } = await fleet.get('/agents', { params: { query }, signal });
    return {
      rows: data as AgentRow[],
      total: totalCount(response),
      nextSkip: nextSkipOf(response.headers.get('link')),
    };
  };
  return useQuery(JSON.stringify(query), load, {
    everyMs: 15_000,
    minIntervalMs: 2_000,
    reloadOn: ({ type }) => type.startsWith('agent.'),
  });
}

function nextSkipOf(link: string | null): number | undefined {
  const target = /<([^>]*)>;\s*rel="next"/.exec(link ?? '')?.[1];
  const skip = target === undefined ? null : new URL(target, location.origin).searchParams.get('skip');
  return skip === null ? undefined : Number(skip);
}
