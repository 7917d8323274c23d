import { useState } from 'preact/hooks';
import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { SelectField } from '../../../components/field.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import type { ApiKey, NewApiKey } from './api-key.ts';

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
      <p class="anywhere">
        <strong>{safeLine(apiKey.name)}</strong> gets a new text, which is shown once. Name, access, agents and expiry
        stay the same.
      </p>
      <SelectField label="The present text" value={grace} options={GRACES} onChange={setGrace} />
    </FormDialog>
  );
}
