import { Page } from '../../frame/page.tsx';

export function TasksPage() {
  return (
    <Page title="Tasks" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
