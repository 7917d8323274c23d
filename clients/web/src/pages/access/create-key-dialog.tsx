import { SCOPES } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { agentLabel, useAgents } from '../../agents/agent-names.ts';
import { fleet } from '../../api/fleet.ts';
import { type Scope, session } from '../../api/session.ts';
import { Chip } from '../../components/chip.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../components/field.tsx';
import { explain } from '../../components/notice.tsx';
import { safeLine } from '../../text/safe-text.ts';
import {
  accessOptions,
  CHOSEN_SCOPES,
  givableScopes,
  type KeyDraft,
  LIFETIMES,
  type Lifetime,
  MAX_CHOSEN,
  type NewApiKey,
  ROLE_SCOPES,
  toKeyInput,
} from './api-key.ts';

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
        onInput={(value) => change({ agentIds: value === ALL_AGENTS ? undefined : [] })}
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
        onInput={(lifetime) => onChange({ lifetime: lifetime as Lifetime })}
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

interface AccessFieldsProps {
  draft: KeyDraft;
  givable: readonly Scope[];
  onChange: (changes: Partial<KeyDraft>) => void;
}

/** What a new key may do: what a role may, or chosen scopes. */
function AccessFields({ draft: { access, scopes }, givable, onChange }: AccessFieldsProps) {
  const isChosen = access === CHOSEN_SCOPES;
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange({ scopes: givable.filter((one) => (one === scope ? isOn : scopes.includes(one))) });
  return (
    <>
      <SelectField
        label="Access"
        hint={isChosen ? undefined : ROLE_SCOPES[access]?.map((scope) => SCOPES[scope]).join(' ')}
        value={access}
        options={accessOptions(givable)}
        onInput={(value) => onChange({ access: value })}
      />
      {isChosen && (
        <fieldset class="stack-tight">
          <legend class="visually-hidden">Scopes</legend>
          {givable.map((scope) => (
            <Checkbox
              key={scope}
              label={
                <>
                  <code>{scope}</code> <span class="muted small">{SCOPES[scope]}</span>
                </>
              }
              isChecked={scopes.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

interface AgentChoiceProps {
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** Among the newest thousand: the API takes the ids of others. */
function AgentChoice({ chosen, onChange }: AgentChoiceProps) {
  const { data: agents = [], error } = useAgents();
  const others = agents.filter(({ id }) => !chosen.includes(id));
  return (
    <div class="stack-tight">
      <SelectField
        label="Add an agent"
        hint={`Up to ${MAX_CHOSEN} agents.`}
        error={error === undefined ? undefined : `The agents could not be loaded. ${explain(error)}`}
        value=""
        disabled={chosen.length >= MAX_CHOSEN}
        options={[
          { value: '', label: 'Choose…' },
          ...others.map(({ id, name, type }) => ({ value: id, label: safeLine(`${name} (${type})`) })),
        ]}
        onInput={(id) => onChange([...chosen, id])}
      />
      <div class="row">
        {chosen.map((id) => {
          const name = agentLabel(
            id,
            agents.find((agent) => agent.id === id),
          );
          return (
            <Chip key={id} name={name} onRemove={() => onChange(chosen.filter((one) => one !== id))}>
              {name}
            </Chip>
          );
        })}
      </div>
    </div>
  );
}
