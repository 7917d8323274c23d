import { ErrorNotice } from '../../components/notice.tsx';

interface PartErrorProps {
  /** Such as "The input". */
  what: string;
  query: { error: unknown; reload: () => void };
  isGone: boolean;
}

/** In the place of a part of a task that could not be loaded. */
export function PartError({ what, query, isGone }: PartErrorProps) {
  if (isGone) return <p class="muted">{what} had not been loaded when the task was deleted.</p>;
  return <ErrorNotice title={`${what} could not be loaded`} error={query.error} onRetry={query.reload} />;
}
