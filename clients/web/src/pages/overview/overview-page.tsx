import { Page } from '../../frame/page.tsx';

export function OverviewPage() {
  return (
    <Page title="Overview" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
