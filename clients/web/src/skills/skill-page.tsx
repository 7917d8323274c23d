import { Page } from '../frame/page.tsx';

export function SkillPage() {
  return (
    <Page title="Skill" isReady>
      <p class="muted">Not there yet.</p>
    </Page>
  );
}
