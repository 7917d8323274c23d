import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { useQuery } from '../../../api/use-query.ts';
import { Button } from '../../../components/button.tsx';
import { Chip } from '../../../components/chip.tsx';
import { Checkbox, TextField } from '../../../components/field.tsx';
import { explain } from '../../../components/notice.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import { agentLabel } from '../../agents/agent-label.ts';
import { findAgents, MAX_CHOSEN, SHOWN_AGENTS, toUnlistedId } from './find-agents.ts';

const QUERY = { fields: 'name,type', order: 'desc', limit: 1_000 } as const;

interface AgentChoiceProps {
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}

/** Agents by name among the newest thousand; others by their id. */
export function AgentChoice({ chosen, onChange }: AgentChoiceProps) {
  const [text, setText] = useState('');
  const { data, error } = useQuery('agents of a key', async (signal) => {
    return (await fleet.get('/agents', { params: { query: QUERY }, signal })).data;
  });
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
