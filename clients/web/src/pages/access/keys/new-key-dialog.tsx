import { safeLine } from '../../../text/safe-text.ts';
import { ShownOnceDialog } from '../shown-once-dialog.tsx';
import type { NewApiKey } from './api-key.ts';

/** Shows the text of a key that was created or rotated. */
export function NewKeyDialog({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) {
  return (
    <ShownOnceDialog title={safeLine(apiKey.name)} secret={apiKey.key} what="key" onClose={onClose}>
      <p>
        Send it in the header <code>X-API-Key</code>. The commands <code>fleet</code> and <code>fleet-worker</code> take
        it from the variable <code>FLEET_API_KEY</code>.
      </p>
    </ShownOnceDialog>
  );
}
