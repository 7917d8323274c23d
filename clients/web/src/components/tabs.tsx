import { compact, count } from '../text/numbers.ts';
import './styles/tabs.css';

export interface Tab {
  label: string;
  href: string;
  isCurrent: boolean;
  /** How many records it has; null keeps the place of a number that is not known. */
  total?: number | null;
  isLeast?: boolean;
}

/** Links to the parts of a page; each part has an address of its own. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a key={tab.label} href={tab.href} class="tab" aria-current={tab.isCurrent ? 'page' : undefined}>
          {tab.label}
          {tab.total !== undefined && <TabTotal total={tab.total} isLeast={tab.isLeast} />}
        </a>
      ))}
    </nav>
  );
}

function TabTotal({ total, isLeast }: { total: number | null; isLeast?: boolean }) {
  if (total === null) return <span class="tab-count" />;
  return (
    <span class="tab-count number" title={`${isLeast ? 'At least ' : ''}${count(total)}`}>
      {compact(total)}
      {isLeast && '+'}
    </span>
  );
}
