import { Page } from '../../frame/page.tsx';

export function AccessPage() {
  return (
    <Page title="Access" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
