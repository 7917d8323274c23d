import { SelectField, TextField } from '../../components/field.tsx';
import { safeLine } from '../../text/safe-text.ts';

const MAX_NAME_CHARACTERS = 100;

interface AgentFieldsProps {
  name: string;
  type: string;
  types: readonly string[] | undefined;
  onName: (name: string) => void;
  onType: (type: string) => void;
}

/** What a client sets of an agent. */
export function AgentFields({ name, type, types = [type], onName, onType }: AgentFieldsProps) {
  return (
    <>
      <TextField label="Name" value={name} required maxLength={MAX_NAME_CHARACTERS} autofocus onInput={onName} />
      <SelectField
        label="Type"
        value={type}
        options={types.map((one) => ({ value: one, label: safeLine(one) }))}
        onChange={onType}
      />
    </>
  );
}
