import type { ComponentChildren } from 'preact';
import './styles/empty-state.css';

interface EmptyStateProps {
  title: string;
  /** What to do first. */
  children?: ComponentChildren;
  actions?: ComponentChildren;
}

/** In the place of a list that has nothing. */
export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <p class="empty-title">{title}</p>
      {children && <div class="muted">{children}</div>}
      {actions && <div class="row">{actions}</div>}
    </div>
  );
}
