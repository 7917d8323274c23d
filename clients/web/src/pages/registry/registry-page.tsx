import { Page } from '../../frame/page.tsx';

export function RegistryPage() {
  return (
    <Page title="Registry" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
