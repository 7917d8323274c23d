import { may } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import type { AgentAction } from '../agents/agent-menu.tsx';

interface AgentButtonsProps {
  /** It is resumed in the notice that says so. */
  isPaused: boolean;
  /** Until the agent is known. */
  isDisabled: boolean;
  onAdd: () => void;
  onChoose: (action: AgentAction) => void;
}

export function AgentButtons({ isPaused, isDisabled, onAdd, onChoose }: AgentButtonsProps) {
  const shared = { disabled: isDisabled };
  return (
    <>
      {may('agents:write') && (
        <>
          <Button {...shared} onClick={() => onChoose('edit')}>
            Edit
          </Button>
          {!isPaused && (
            <Button {...shared} onClick={() => onChoose('pause')}>
              Pause
            </Button>
          )}
          <Button {...shared} onClick={() => onChoose('delete')}>
            Delete
          </Button>
        </>
      )}
      {may('tasks:write') && (
        <Button {...shared} kind="primary" onClick={onAdd}>
          Create task
        </Button>
      )}
    </>
  );
}
