import { Page } from '../../frame/page.tsx';

export function TaskPage() {
  return (
    <Page title="Task" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
