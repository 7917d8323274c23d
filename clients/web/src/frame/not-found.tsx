import { LinkButton } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Page } from './page.tsx';

interface NotFoundProps {
  title?: string;
  /** Where to go on. */
  href: string;
  label: string;
}

/** For an address that leads nowhere. */
export function NotFound({ title = 'Page not found', href, label }: NotFoundProps) {
  return (
    <Page title={title} isReady>
      <EmptyState title="There is nothing at this address" actions={<LinkButton href={href}>{label}</LinkButton>}>
        It may have been deleted, or the link is wrong.
      </EmptyState>
    </Page>
  );
}
