import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Tone } from '../text/statuses.ts';
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

interface FoldProps {
  summary: ComponentChildren;
  isOpenAtFirst?: boolean;
  class?: string;
  'data-tone'?: Tone | undefined;
  /** Made when it is opened. */
  children: () => ComponentChildren;
}

/** What one may open. */
export function Fold({ summary, isOpenAtFirst = false, children, ...rest }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details {...rest} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
