import './styles/tokens.css';
import './styles/base.css';
import { render } from 'preact';
import { Route, Router } from 'preact-iso/router';
import { Toasts } from './components/toast.tsx';
import { Header } from './frame/header.tsx';
import { Location } from './frame/location.tsx';
import { NotFound, ValidPath } from './frame/page.tsx';
import { Shortcuts } from './frame/shortcuts.tsx';
import { GuidePage } from './guide/guide-page.tsx';
import { CataloguePage } from './skills/catalogue-page.tsx';
import { keepTypedText } from './skills/search/search-field.tsx';
import { SkillPage } from './skills/skill-page.tsx';

function Catalogue() {
  return (
    <>
      <Header>
        <a href="/console" class="header-link">
          Console
        </a>
        <a href="/guide" class="header-link">
          Guide
        </a>
        <a href="/docs" class="header-link">
          API
        </a>
      </Header>
      <ValidPath otherwise={<Nowhere />}>
        <Router>
          <Route path="/" component={CataloguePage} />
          <Route path="/skills/:id" component={SkillPage} />
          <Route path="/guide/:name?" component={GuidePage} />
          <Route default component={Nowhere} />
        </Router>
      </ValidPath>
    </>
  );
}

function Nowhere() {
  return <NotFound href="/" label="Go to the skills" />;
}

keepTypedText();
const root = document.getElementById('app') as HTMLElement;
root.replaceChildren();
render(
  <Location scope={String.raw`/($|\?|skills/|guide)`}>
    <Catalogue />
    <Shortcuts />
    <Toasts />
  </Location>,
  root,
);
