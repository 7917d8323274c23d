import { FleetError } from '@agent-fleet/sdk';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { useGet } from '../api/use-get.ts';
import { useQuery } from '../api/use-query.ts';
import { LinkButton } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { Breadcrumb, Page } from '../frame/page.tsx';
import { preloadParser } from '../markdown/parse-markdown.ts';
import { short } from '../text/pieces.ts';
import { hrefWith } from './search/list-query.ts';
import { listedSkill } from './search/results.ts';
import { ChecksPanel, FactsPanel } from './skill/facts-panel.tsx';
import { FilePanel } from './skill/file-panel.tsx';
import { InstallPanel } from './skill/install-panel.tsx';
import { OtherSkills } from './skill/other-skills.tsx';
import { readSkillFile, type Skill } from './skill/records.ts';
import { IntroductionSkeleton, PartsSkeleton, SkillBadges, SkillIntroduction } from './skill/skill-introduction.tsx';
import './skill.css';

const CRUMBS = [{ label: 'Skills', href: '/' }];
const MAX_NAME = 200;

/** One skill: what it does, how to add it, where it comes from, what is wrong with it, and its SKILL.md. */
export function SkillPage() {
  const { id = '' } = useRoute().params;
  return <SkillOf key={id} id={id} />;
}

function SkillOf({ id }: { id: string }) {
  const { data: skill, error, reload } = useGet('/api/skills/{skill_id}', { path: { skill_id: id } });
  const known = skill ?? listedSkill(id);
  useEffect(() => void preloadParser(), []);
  if (error instanceof FleetError && error.status === 404) return <MissingSkill />;
  return (
    <Page
      title={short(known?.name ?? nameIn(id), MAX_NAME)}
      above={<Above />}
      badges={known && <SkillBadges skill={known} />}
      isReady={skill !== undefined || error !== undefined}
    >
      {known ? <SkillIntroduction skill={known} /> : error === undefined && <IntroductionSkeleton />}
      {error !== undefined && <ErrorNotice title="The skill could not be loaded" error={error} onRetry={reload} />}
      {skill ? <SkillParts skill={skill} /> : error === undefined && <PartsSkeleton />}
    </Page>
  );
}

/** Until the name is there: the last part of most ids is made of it. */
function nameIn(id: string): string {
  return id.split('~').at(-1) || id;
}

function Above() {
  return (
    <div class="skill-above">
      <Breadcrumb crumbs={CRUMBS} />
      <QuickSearch />
    </div>
  );
}

function SkillParts({ skill }: { skill: Skill }) {
  const file = useQuery(skill.id, (signal) => readSkillFile(skill.id, signal));
  return (
    <div class="stack skill-parts">
      <InstallPanel skill={skill} />
      <div class="stack skill-side">
        <ChecksPanel skill={skill} file={file.data} />
        <FactsPanel skill={skill} file={file.data} />
      </div>
      <FilePanel skill={skill} file={file} />
      <OtherSkills skill={skill} />
    </div>
  );
}

function MissingSkill() {
  return (
    <Page title="There is no skill with this id" above={<Above />} isReady>
      <EmptyState
        title="It may have been removed from its registry, or the link is wrong"
        actions={
          <LinkButton kind="primary" href="/">
            Find skills
          </LinkButton>
        }
      >
        A skill that was renamed has another id: search for its name.
      </EmptyState>
    </Page>
  );
}

/** Leads to the catalogue with the words that are entered. */
function QuickSearch() {
  const { route } = useLocation();
  const [words, setWords] = useState('');

  function submit(event: Event): void {
    event.preventDefault();
    route(hrefWith(new URLSearchParams(), { q: words.trim() || undefined }));
  }

  return (
    <search class="quick-search">
      <form action="/" onSubmit={submit}>
        <TextField
          label="Search skills"
          isLabelHidden
          placeholder="Search skills"
          type="search"
          name="q"
          autocomplete="off"
          isSearch
          value={words}
          onInput={setWords}
        />
      </form>
    </search>
  );
}
