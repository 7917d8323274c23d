import { fleet } from '../../../api/fleet.ts';
import { FormDialog } from '../../../components/dialog.tsx';
import { toast } from '../../../components/toast.tsx';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { safeLine } from '../../../text/safe-text.ts';
import type { ApiKey } from './api-key.ts';

interface RevokeKeyDialogProps {
  apiKey: ApiKey;
  onRevoked: () => void;
  onClose: () => void;
}

export function RevokeKeyDialog({ apiKey, onRevoked, onClose }: RevokeKeyDialogProps) {
  const name = safeLine(apiKey.name);

  async function revoke(): Promise<void> {
    await fleet.delete('/api-keys/{key_id}', { params: { path: { key_id: apiKey.id } } });
    toast(`${name} revoked.`);
    onRevoked();
  }

  return (
    <FormDialog title="Revoke key" action="Revoke key" isDangerous onSubmit={revoke} onClose={onClose}>
      <p class="anywhere">
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
