import type { ComponentChildren } from 'preact';
import { Panel } from '../../components/panel.tsx';

/** One family of components. */
export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Panel title={title}>
      <div class="stack">{children}</div>
    </Panel>
  );
}

/** Variants or states of a component, with what they are. */
export function Sample({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <div class="stack-tight">
      <p class="small muted">{label}</p>
      {children}
    </div>
  );
}
