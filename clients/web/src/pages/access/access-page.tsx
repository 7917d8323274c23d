import type { ComponentType } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { may } from '../../api/session.ts';
import { LinkButton } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { NotFound, Page } from '../../frame/page.tsx';
import { AccountPart } from './account-part.tsx';
import { AuditPart } from './audit-part.tsx';
import { KeysPart } from './keys-part.tsx';
import { PARTS, type PartName, type PartProps } from './part.ts';
import { SessionsPart } from './sessions-part.tsx';
import { UsersPart } from './users-part.tsx';
import './access.css';

const CONTENTS: Record<PartName, ComponentType<PartProps>> = {
  users: UsersPart,
  keys: KeysPart,
  sessions: SessionsPart,
  audit: AuditPart,
  account: AccountPart,
};

export function AccessPage() {
  const { part: named } = useRoute().params;
  const [readyPart, setReadyPart] = useState<string>();
  const parts = PARTS.filter(({ scope }) => !scope || may(scope));
  const part = PARTS.find(({ name }) => name === (named ?? parts[0]?.name));
  const onReady = useCallback(() => setReadyPart(part?.name), [part?.name]);
  if (!part) return <NotFound href="/console/access" label="Go to users and keys" />;
  const Content = CONTENTS[part.name];
  const isAllowed = parts.includes(part);
  return (
    <Page title="Access" isReady={!isAllowed || readyPart === part.name}>
      <Tabs label="Parts" tabs={parts.map(({ name, ...tab }) => ({ ...tab, isCurrent: name === part.name }))} />
      {isAllowed ? (
        <Content key={part.name} onReady={onReady} />
      ) : (
        <Notice
          tone="info"
          title="Your role does not show this"
          actions={<LinkButton href="/console/access">Go to your API keys</LinkButton>}
        >
          It needs the scope {part.scope}, which administrators have.
        </Notice>
      )}
    </Page>
  );
}
