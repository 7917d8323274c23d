import './styles/tokens.css';
import './styles/base.css';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Router } from 'preact-iso/router';
import { readSession, session } from './api/session.ts';
import { LinkButton } from './components/button.tsx';
import { ErrorNotice } from './components/notice.tsx';
import { Toasts } from './components/toast.tsx';
import { announceRole, ConsoleFrame } from './frame/console-frame.tsx';
import { CONSOLE_KEYS } from './frame/console-keys.tsx';
import { Header } from './frame/header.tsx';
import { Location } from './frame/location.tsx';
import { NotFound, ValidPath } from './frame/page.tsx';
import { Shortcuts } from './frame/shortcuts.tsx';
import { SignIn } from './frame/sign-in.tsx';
import { AccessPage } from './pages/access/access-page.tsx';
import { AgentPage } from './pages/agent/agent-page.tsx';
import { AgentsPage } from './pages/agents/agents-page.tsx';
import { InboxPage } from './pages/inbox/inbox-page.tsx';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { RegistryPage } from './pages/registry/registry-page.tsx';
import { TaskPage } from './pages/task/task-page.tsx';
import { TasksPage } from './pages/tasks/tasks-page.tsx';
import { WorkersPage } from './pages/workers/workers-page.tsx';

function Console() {
  const [error, setError] = useState<unknown>();
  const load = () => {
    setError(undefined);
    readSession().catch(setError);
  };
  useEffect(load, []);
  if (session.value === undefined) return error ? <Unavailable error={error} onRetry={load} /> : <Frame />;
  return session.value === null ? <SignIn /> : <SignedIn />;
}

function SignedIn() {
  return (
    <ConsoleFrame>
      <ValidPath otherwise={<Nowhere />}>
        <Router>
          <Route path="/console" component={OverviewPage} />
          <Route path="/console/inbox" component={InboxPage} />
          <Route path="/console/tasks" component={TasksPage} />
          <Route path="/console/agents" component={AgentsPage} />
          <Route path="/console/agents/:agentId" component={AgentPage} />
          <Route path="/console/agents/:agentId/tasks/:taskId" component={TaskPage} />
          <Route path="/console/workers" component={WorkersPage} />
          <Route path="/console/registry" component={RegistryPage} />
          <Route path="/console/access/:part?" component={AccessPage} />
          <Route default component={Nowhere} />
        </Router>
      </ValidPath>
    </ConsoleFrame>
  );
}

function Nowhere() {
  return <NotFound href="/console" label="Go to the overview" />;
}

/** Until it is known who is signed in. */
function Frame() {
  return (
    <>
      <Header>{null}</Header>
      <main id="main" class="page" />
    </>
  );
}

function Unavailable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <>
      <Header>{null}</Header>
      <main id="main" class="page">
        <ErrorNotice
          title="The console could not be loaded"
          error={error}
          onRetry={onRetry}
          actions={<LinkButton href="/">Go to the skills</LinkButton>}
        />
      </main>
    </>
  );
}

announceRole();
const root = document.getElementById('app') as HTMLElement;
root.replaceChildren();
render(
  <Location scope="/console">
    <Console />
    <Shortcuts more={CONSOLE_KEYS} />
    <Toasts />
  </Location>,
  root,
);
