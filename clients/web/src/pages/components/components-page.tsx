import { Page } from '../../frame/page.tsx';

export function ComponentsPage() {
  return (
    <Page title="Components" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
