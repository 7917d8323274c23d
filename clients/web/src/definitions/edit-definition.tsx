import { FleetError } from '@agent-fleet/sdk';
import type { ActionProps } from '../components/dialog.tsx';
import { EditDialog } from '../components/edit-dialog.tsx';
import { type Fields, useFields } from '../components/use-form.ts';
import { safeLine } from '../text/safe-text.ts';
import { type Definition, replaceDefinition } from './definition.ts';
import { type Draft, MAX_SERVERS, toDefinitionErrors, toDefinitionInput, toDraft } from './definition-fields.ts';
import { DefinitionFields } from './definition-form.tsx';

interface EditProps extends ActionProps {
  agentId: string;
  current: Definition | null;
  /** An old version to go back to: the form begins with its content. */
  old?: Definition | undefined;
}

/** Makes a new version by one form; keeps what was typed when others have made one meanwhile. */
export function EditDefinitionDialog({ agentId, current, old, onDone, onClose }: EditProps) {
  const fields = useFields<Draft>({ ...toDraft(old ?? current), note: old ? `Back to version ${old.version}` : '' });
  return (
    <EditDialog
      title={old ? `Go back to version ${old.version}` : current ? 'Edit the definition' : 'Define the agent'}
      what="definition"
      record={current}
      isSticky
      replace={(original) => saveDefinition(agentId, fields, original, old ?? original)}
      describe={describe}
      onLoad={(theirs) => fields.set({ ...NOTHING, ...toDraft(theirs) })}
      onDone={onDone}
      onClose={onClose}
    >
      <DefinitionFields fields={fields} />
    </EditDialog>
  );
}

/** Servers that were added to a form go with the rest of it. */
const NOTHING: Draft = Object.fromEntries(
  Array.from({ length: MAX_SERVERS }, (_, at) => [`mcp_servers.${at}.url`, `mcp_servers.${at}.command`])
    .flat()
    .map((path) => [path, undefined]),
);

/** Errors of fields are shown at them. @throws Error what the form shows */
export async function saveDefinition(
  agentId: string,
  { values, setErrors }: Fields<Draft>,
  original: Definition | null,
  content = original,
): Promise<void> {
  setErrors({});
  try {
    await replaceDefinition(agentId, original, toDefinitionInput(values, content));
  } catch (error) {
    if (error instanceof FleetError) setErrors(toDefinitionErrors(values, error.fields));
    throw error;
  }
}

function describe(current: Definition | null): string {
  if (current === null) return 'The agent has no definition now.';
  const { version, created_by: by, note } = current;
  return safeLine(`It is version ${version} now${by ? ` by ${by.name}` : ''}${note ? `: ${note}` : ''}.`);
}
