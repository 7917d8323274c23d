import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { LongText } from '../../text/long-text.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import type { Pause } from '../agents/pauses.ts';

/** Why the tasks of an agent do not start. */
export function PauseNotice({ pause, onResume }: { pause: Pause; onResume: (() => void) | undefined }) {
  return (
    <Notice
      tone="warn"
      title="This agent is paused: its tasks wait"
      actions={onResume && <Button onClick={onResume}>Resume</Button>}
    >
      {pause.reason && <LongText text={pause.reason} />}
      <p class="small muted">
        Paused <RelativeTime at={pause.paused_at} />
      </p>
    </Notice>
  );
}
