import { SCOPES } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { agentLabel } from '../../agents/agent-names.ts';
import { fleet } from '../../api/fleet.ts';
import { type Scope, session } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { Checkbox, SelectField, TextField } from '../../components/field.tsx';
import { explain } from '../../components/notice.tsx';
import { safeLine } from '../../text/safe-text.ts';
import {
  accessOptions,
  CHOSEN_SCOPES,
  findAgents,
  givableScopes,
  type KeyDraft,
  LIFETIMES,
  type Lifetime,
  MAX_CHOSEN,
  type NewApiKey,
  ROLE_SCOPES,
  SHOWN_AGENTS,
  toKeyInput,
  toUnlistedId,
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
        <fieldset class="access-checks">
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

const QUERY = { fields: 'name,type', order: 'desc', limit: 1_000 } as const;

interface AgentChoiceProps {
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** Agents by name among the newest thousand; others by their id. */
function AgentChoice({ chosen, onChange }: AgentChoiceProps) {
  const [text, setText] = useState('');
  const { data, error } = useGet('/agents', { query: QUERY });
  const byId = new Map(data?.map((agent) => [agent.id, agent]));
  const found = findAgents(data ?? [], text);
  const unlisted = toUnlistedId(text, byId);
  const isFull = chosen.length >= MAX_CHOSEN;
  const set = (id: string, isOn: boolean) => onChange([...chosen.filter((one) => one !== id), ...(isOn ? [id] : [])]);
  return (
    <div class="stack-tight">
      <TextField
        label="Find agents"
        hint={`By name, type or id. Up to ${MAX_CHOSEN} agents.`}
        type="search"
        value={text}
        onInput={setText}
      />
      <fieldset class="access-checks access-agent-list">
        <legend class="visually-hidden">Agents</legend>
        {found.slice(0, SHOWN_AGENTS).map(({ id, name, type }) => (
          <Checkbox
            key={id}
            label={
              <>
                {safeLine(name)} <span class="muted small">{safeLine(type)}</span>
              </>
            }
            isChecked={chosen.includes(id)}
            disabled={isFull && !chosen.includes(id)}
            onChange={(isOn) => set(id, isOn)}
          />
        ))}
        {found.length > SHOWN_AGENTS && <p class="muted small">Type to find {found.length - SHOWN_AGENTS} more.</p>}
        {data && found.length === 0 && !unlisted && <p class="muted small">No agent matches.</p>}
        {error !== undefined && <p class="field-error">The agents could not be loaded. {explain(error)}</p>}
        {unlisted && !chosen.includes(unlisted) && (
          <Button isSmall disabled={isFull} onClick={() => set(unlisted, true)}>
            Add the agent with this id
          </Button>
        )}
      </fieldset>
      <p class="small muted" aria-live="polite">
        {chosen.length} of {MAX_CHOSEN} chosen
      </p>
      <div class="row">
        {chosen.map((id) => (
          <Chip key={id} name={agentLabel(id, byId.get(id))} onRemove={() => set(id, false)}>
            {agentLabel(id, byId.get(id))}
          </Chip>
        ))}
      </div>
    </div>
  );
}
