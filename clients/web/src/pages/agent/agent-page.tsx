import { Page } from '../../frame/page.tsx';

export function AgentPage() {
  return (
    <Page title="Agent" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
