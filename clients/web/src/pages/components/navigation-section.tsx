import { Pager } from '../../components/pager.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Breadcrumb } from '../../frame/page.tsx';
import { Sample, Section } from './section.tsx';

const HREF = '/console/components';
const TABS = ['Users', 'API keys', 'Sessions', 'Audit', 'Account'];

export function NavigationSection() {
  return (
    <Section title="Navigation">
      <Sample label="Where a page is">
        <Breadcrumb
          crumbs={[
            { label: 'Agents', href: '/console/agents' },
            { label: 'Release notes writer', href: `${HREF}#agent` },
          ]}
        />
      </Sample>
      <Sample label="Parts of a page">
        <Tabs
          label="Sample of tabs"
          tabs={TABS.map((label, at) => ({ label, href: `${HREF}?part=${at}`, isCurrent: at === 1 }))}
        />
      </Sample>
      <Sample label="Pages of a list">
        <Pager skip={50} limit={50} total={161_475} hrefOf={(skip) => `${HREF}?skip=${skip}`} />
      </Sample>
    </Section>
  );
}
