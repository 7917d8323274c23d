import { Button } from '../../../components/button.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { currentTime } from '../../../text/clock.ts';
import { safeLine } from '../../../text/safe-text.ts';
import type { ApiKey } from './api-key.ts';
import { expiryState } from './expiry.ts';
import { KeyFacts } from './key-facts.tsx';
import type { KeyAction } from './key-table.tsx';

interface KeyDialogProps {
  apiKey: ApiKey;
  onChoose: (action: KeyAction, key: ApiKey) => void;
  onClose: () => void;
}

export function KeyDialog({ apiKey, onChoose, onClose }: KeyDialogProps) {
  const choose = (action: KeyAction) => {
    onClose();
    onChoose(action, apiKey);
  };
  return (
    <Dialog title={safeLine(apiKey.name)} onClose={onClose}>
      <div class="stack">
        <KeyFacts apiKey={apiKey} />
        {apiKey.source === 'api' && (
          <div class="row dialog-actions">
            <Button kind="danger" onClick={() => choose('revoke')}>
              Revoke…
            </Button>
            <Button
              disabled={expiryState(apiKey.expires_at, currentTime()) === 'expired'}
              onClick={() => choose('rotate')}
            >
              Rotate…
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}
