import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { session } from '../../../api/session.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { AccessFields } from './access-fields.tsx';
import { AgentChoice } from './agent-choice.tsx';
import type { NewApiKey } from './api-key.ts';
import { LIFETIMES, type Lifetime } from './expiry.ts';
import { accessOptions, givableScopes, type KeyDraft, toKeyInput } from './key-draft.ts';

interface CreateKeyDialogProps {
  onCreated: (key: NewApiKey) => void;
  onClose: () => void;
}

const ALL_AGENTS = 'all';

export function CreateKeyDialog({ onCreated, onClose }: CreateKeyDialogProps) {
  const own = session.value?.scopes ?? [];
  const [draft, setDraft] = useState<KeyDraft>(() => ({
    name: '',
    access: accessOptions(own).some(({ value }) => value === 'worker') ? 'worker' : 'viewer',
    scopes: [],
    agentIds: undefined,
    lifetime: '90',
    day: '',
    rateLimit: '',
  }));
  const givable = givableScopes(own, draft.agentIds !== undefined);
  const change = (changes: Partial<KeyDraft>) => setDraft((before) => keepGivable({ ...before, ...changes }));

  /** A key that is limited to agents loses what it cannot have. */
  function keepGivable(next: KeyDraft): KeyDraft {
    const possible = givableScopes(own, next.agentIds !== undefined);
    const isPossible = accessOptions(possible).some(({ value }) => value === next.access);
    return {
      ...next,
      access: isPossible ? next.access : 'viewer',
      scopes: next.scopes.filter((scope) => possible.includes(scope)),
    };
  }

  async function create(): Promise<void> {
    onCreated((await fleet.post('/api-keys', { body: toKeyInput(draft, Date.now()) })).data);
  }

  return (
    <FormDialog title="Create API key" action="Create API key" onSubmit={create} onClose={onClose}>
      <TextField
        label="Name"
        hint="What uses it, such as “Build worker”."
        required
        maxLength={100}
        autofocus
        autocomplete="off"
        value={draft.name}
        onInput={(name) => change({ name })}
      />
      <AccessFields draft={draft} givable={givable} onChange={change} />
      <SelectField
        label="Agents"
        value={draft.agentIds ? 'chosen' : ALL_AGENTS}
        options={[
          { value: ALL_AGENTS, label: 'All agents, including new ones' },
          { value: 'chosen', label: 'Only agents that I choose' },
        ]}
        onChange={(value) => change({ agentIds: value === ALL_AGENTS ? undefined : [] })}
      />
      {draft.agentIds && <AgentChoice chosen={draft.agentIds} onChange={(agentIds) => change({ agentIds })} />}
      <LimitFields draft={draft} onChange={change} />
    </FormDialog>
  );
}

/** How long and how often a new key may be used. */
function LimitFields({ draft, onChange }: { draft: KeyDraft; onChange: (changes: Partial<KeyDraft>) => void }) {
  return (
    <div class="access-field-grid">
      <SelectField
        label="Expires"
        value={draft.lifetime}
        options={LIFETIMES}
        onChange={(lifetime) => onChange({ lifetime: lifetime as Lifetime })}
      />
      {draft.lifetime === 'date' && (
        <TextField label="Last day" type="date" required value={draft.day} onInput={(day) => onChange({ day })} />
      )}
      <TextField
        label="Requests per minute"
        type="number"
        placeholder="Default limit"
        min={1}
        max={1_000_000_000}
        value={draft.rateLimit}
        onInput={(rateLimit) => onChange({ rateLimit })}
      />
    </div>
  );
}
