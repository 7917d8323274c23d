import type { Agent } from '@agent-fleet/sdk';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { safeLine } from '../../text/safe-text.ts';

export type AgentAction = 'edit' | 'pause' | 'resume' | 'delete';

interface AgentMenuProps {
  agent: Agent;
  isPaused: boolean;
  onChoose: (action: AgentAction) => void;
}

/** What can be done with the agent of a row. */
export function AgentMenu({ agent, isPaused, onChoose }: AgentMenuProps) {
  return (
    <Menu isIcon label={<span aria-hidden="true">⋯</span>} name={`Actions for ${safeLine(agent.name)}`}>
      <MenuItem onSelect={() => onChoose('edit')}>Edit…</MenuItem>
      {isPaused ? (
        <MenuItem onSelect={() => onChoose('resume')}>Resume</MenuItem>
      ) : (
        <MenuItem onSelect={() => onChoose('pause')}>Pause…</MenuItem>
      )}
      <MenuItem isDangerous onSelect={() => onChoose('delete')}>
        Delete…
      </MenuItem>
    </Menu>
  );
}
