import { Page } from '../frame/page.tsx';

export function CataloguePage() {
  return (
    <Page title="Find skills for your agents" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
