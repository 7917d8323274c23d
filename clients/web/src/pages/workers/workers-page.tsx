import { Page } from '../../frame/page.tsx';

export function WorkersPage() {
  return (
    <Page title="Workers" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
