import { SCOPES } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { agentLabel, useAgentNames, useAgents } from '../../agents/agent-names.ts';
import { fleet } from '../../api/fleet.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { type ActionProps, Dialog, FormDialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { SelectField } from '../../components/field.tsx';
import { toast } from '../../components/toast.tsx';
import { currentTime } from '../../text/clock.ts';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { absoluteTime } from '../../text/times.ts';
import { type ApiKey, accessLabel, expiryState, type NewApiKey } from './api-key.ts';
import { ShownOnceDialog } from './shown-once-dialog.tsx';

export type KeyAction = 'rotate' | 'revoke';

interface KeyDialogProps {
  apiKey: ApiKey;
  onChoose: (action: KeyAction, key: ApiKey) => void;
  onClose: () => void;
}

export function KeyDialog({ apiKey, onChoose, onClose }: KeyDialogProps) {
  const choose = (action: KeyAction) => {
    onClose();
    onChoose(action, apiKey);
  };
  return (
    <Dialog title={safeLine(apiKey.name)} onClose={onClose}>
      <div class="stack">
        <KeyFacts apiKey={apiKey} />
        {apiKey.source === 'api' && (
          <div class="row dialog-actions">
            <Button kind="danger" onClick={() => choose('revoke')}>
              Revoke…
            </Button>
            <Button
              disabled={expiryState(apiKey.expires_at, currentTime()) === 'expired'}
              onClick={() => choose('rotate')}
            >
              Rotate…
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** All that is known of a key. */
function KeyFacts({ apiKey }: { apiKey: ApiKey }) {
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
        ['Last used', <RelativeTime key="used" at={last_used_at} />],
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
      <ul>
        {scopes.map((scope) => (
          <li key={scope}>
            <code>{safeLine(scope)}</code> <span class="muted small">{SCOPES[scope]}</span>
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
    <ul>
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

const GRACES = [
  { value: '0', label: 'Ends at once' },
  { value: '3600', label: 'Works for another hour' },
  { value: '86400', label: 'Works for another day' },
  { value: '604800', label: 'Works for another 7 days, the longest' },
];

interface RotateKeyDialogProps {
  apiKey: ApiKey;
  onRotated: (key: NewApiKey) => void;
  onClose: () => void;
}

export function RotateKeyDialog({ apiKey, onRotated, onClose }: RotateKeyDialogProps) {
  const [grace, setGrace] = useState('86400');

  async function rotate(): Promise<void> {
    const params = { path: { key_id: apiKey.id } };
    const body = { grace_seconds: Number(grace) };
    onRotated((await fleet.post('/api-keys/{key_id}/rotations', { params, body })).data);
  }

  return (
    <FormDialog title="Rotate key" action="Rotate key" onSubmit={rotate} onClose={onClose}>
      <p>
        <strong>{safeLine(apiKey.name)}</strong> gets a new text, which is shown once. Name, access, agents and expiry
        stay the same.
      </p>
      <SelectField label="The present text" value={grace} options={GRACES} onInput={setGrace} />
    </FormDialog>
  );
}

export function RevokeKeyDialog({ apiKey, onDone, onClose }: { apiKey: ApiKey } & ActionProps) {
  const name = safeLine(apiKey.name);

  async function revoke(): Promise<void> {
    await fleet.delete('/api-keys/{key_id}', { params: { path: { key_id: apiKey.id } } });
    toast(`${name} revoked.`);
    onDone();
  }

  return (
    <FormDialog title="Revoke key" action="Revoke key" isDangerous onSubmit={revoke} onClose={onClose}>
      <p>
        <strong>{name}</strong> stops working at once, and so do the keys that were created with it. What it created
        stays.
      </p>
      <p>
        {apiKey.last_used_at ? (
          <>
            It was last used <RelativeTime at={apiKey.last_used_at} />.
          </>
        ) : (
          'It has never been used.'
        )}
      </p>
      <p class="muted">This cannot be undone.</p>
    </FormDialog>
  );
}

/** Shows the text of a key that was created or rotated. */
export function NewKeyDialog({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) {
  return (
    <ShownOnceDialog title={safeLine(apiKey.name)} secret={apiKey.key} what="key" onClose={onClose}>
      <p>
        Send it in the header <code>X-API-Key</code>. The commands <code>fleet</code> and <code>fleet-worker</code> take
        it from the variable <code>FLEET_API_KEY</code>.
      </p>
    </ShownOnceDialog>
  );
}

/** When a key ends: marked if that is soon. */
export function Expiry({ at }: { at: string | null }) {
  const state = expiryState(at, currentTime());
  if (at === null) return <span class="muted">never</span>;
  if (state === 'later') return <RelativeTime at={at} />;
  if (state === 'soon') {
    return (
      <Badge tone="warn">
        <RelativeTime at={at} />
      </Badge>
    );
  }
  return (
    <Badge tone="error">
      <span title={absoluteTime(at)}>expired</span>
    </Badge>
  );
}
