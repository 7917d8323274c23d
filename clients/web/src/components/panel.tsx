import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './styles/panel.css';

interface PanelProps {
  title: ComponentChildren;
  /** At the end of the title's line. */
  actions?: ComponentChildren;
  /** Without padding, for tables and lists. */
  isFlush?: boolean;
  children: ComponentChildren;
}

/** A titled part of a page. */
export function Panel({ title, actions, isFlush, children }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header class="row panel-header">
        <h2 id={id}>{title}</h2>
        {actions && <div class="row end">{actions}</div>}
      </header>
      <div class={isFlush ? 'panel-flush' : 'panel-body'}>{children}</div>
    </section>
  );
}
