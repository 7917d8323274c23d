import { Page } from '../../frame/page.tsx';

export function AgentsPage() {
  return (
    <Page title="Agents" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
