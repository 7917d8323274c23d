import { Badge } from '../../../components/badge.tsx';
import { Facts } from '../../../components/facts.tsx';
import { count } from '../../../text/numbers.ts';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { agentLabel } from '../../agents/agent-label.ts';
import { useAgentNames, useAgents } from '../../tasks/agent-names.ts';
import { type ApiKey, accessLabel, SCOPE_MEANINGS } from './api-key.ts';
import { Expiry } from './key-table.tsx';

/** All that is known of a key. */
export function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
  const { scopes, agent_ids: ids, owner, source, created_at, expires_at, last_used_at, rate_limit_per_minute } = apiKey;
  return (
    <Facts
      facts={[
        ['Access', <Access key="access" scopes={scopes} />],
        ['Agents', ids === null ? 'All agents' : <AgentNames key="agents" ids={ids} />],
        ['Owner', owner && safeLine(owner)],
        ['Source', source === 'environment' ? <Environment key="source" /> : undefined],
        ['Created', created_at && <RelativeTime key="created" at={created_at} />],
        ['Expires', <Expiry key="expires" at={expires_at} />],
        ['Last used', last_used_at ? <RelativeTime key="used" at={last_used_at} /> : 'never'],
        ['Limit', rate_limit_per_minute && `${count(rate_limit_per_minute)} requests a minute`],
        ['Id', <code key="id">{safeLine(apiKey.id)}</code>],
      ]}
    />
  );
}

function Access({ scopes }: { scopes: ApiKey['scopes'] }) {
  return (
    <div class="stack-tight">
      {scopes.length > 1 && <p>{accessLabel(scopes)}</p>}
      <ul class="access-scopes">
        {scopes.map((scope) => (
          <li key={scope}>
            <code>{safeLine(scope)}</code> <span class="muted small">{SCOPE_MEANINGS[scope]}</span>
          </li>
        ))}
        {scopes.length === 0 && <li>None: the role of its owner no longer allows them.</li>}
      </ul>
    </div>
  );
}

function AgentNames({ ids }: { ids: readonly string[] }) {
  const newest = useAgents();
  const names = useAgentNames(ids, newest.data !== undefined || newest.error !== undefined);
  return (
    <ul class="access-agents">
      {ids.map((id) => (
        <li key={id}>
          <a href={`/console/agents/${encodeURIComponent(id)}`}>{agentLabel(id, names.get(id))}</a>
          {names.get(id) === null && <Badge>deleted</Badge>}
        </li>
      ))}
    </ul>
  );
}

function Environment() {
  return (
    <>
      The variable API_KEYS of the gateways. Such a key never expires, and works while Redis is unavailable. To change
      or remove it, change the variable and restart.
    </>
  );
}
