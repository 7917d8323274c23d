import { useRoute } from 'preact-iso/router';
import { useQuery } from '../api/use-query.ts';
import { TextField } from '../components/field.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { SkeletonLines } from '../components/skeleton.tsx';
import { useAddress } from '../frame/address.ts';
import { NotFound, Page } from '../frame/page.tsx';
import { Rendered } from '../markdown/markdown.tsx';
import { hrefOf, INDEX, loadPage, PATHS, pathOf } from './guide-files.ts';
import { type GuideText, searchGuide, textOf } from './guide-text.ts';
import './guide.css';

const LABEL = 'Search the guide';
const SEARCH = { label: LABEL, placeholder: LABEL, type: 'search', isLabelHidden: true, isSearch: true } as const;

/** A page of the guide, or what a search has found, beside the contents. */
export function GuidePage() {
  const { query, set } = useAddress();
  const path = pathOf(useRoute().params.name ?? '');
  const words = query.get('q') ?? '';
  const { data, error, isStale, reload } = useQuery(path ?? null, (signal) => loadPage(path ?? INDEX, signal));
  const page = isStale ? undefined : data;
  if (path === undefined) return <NotFound href="/guide" label="Go to the guide" />;
  return (
    <div class="guide">
      <search class="stack guide-side">
        <TextField {...SEARCH} value={words} onInput={(q) => set({ q }, true)} />
        <Contents path={path} page={page} />
      </search>
      <Page key={path} title={words ? LABEL : (page?.title ?? 'Guide')} isReady={page !== undefined}>
        {words && <Results words={words} />}
        {!words && page && <Rendered parsed={{ blocks: page.blocks, isPartial: false }} />}
        {!words && !page && !error && <SkeletonLines lines={12} />}
        {error && <ErrorNotice title="The page could not be loaded" error={error} onRetry={reload} />}
      </Page>
    </div>
  );
}

/** The pages by role, as the index lists them, with the headings of the current one. */
function Contents({ path, page }: { path: string; page: GuideText | undefined }) {
  const index = useQuery(INDEX, (signal) => loadPage(INDEX, signal)).data;
  const toLink = (href: string | undefined, text: string, isCurrent: boolean) => (
    <a key={href} class="quiet-link muted" href={href} aria-current={isCurrent ? 'page' : undefined}>
      {text}
    </a>
  );
  const headings = page?.sections
    .filter(({ isTop }) => isTop)
    .map(({ id, heading }) => toLink(`#${id}`, heading, false));
  return (
    <nav class="stack wide-only" aria-label="Guide">
      {index?.sections.slice(1).map(({ id, heading, links }) => (
        <div key={id} class="stack-tight">
          <strong>{heading}</strong>
          {links.map((link) => {
            const { href } = link.attributes;
            const isCurrent = href === hrefOf(path);
            return [toLink(href, textOf(link), isCurrent), isCurrent && headings];
          })}
        </div>
      ))}
    </nav>
  );
}

function Results({ words }: { words: string }) {
  const { data } = useQuery('guide', (signal) => Promise.all(PATHS.map((path) => loadPage(path, signal))));
  if (!data) return <SkeletonLines lines={12} />;
  const hits = searchGuide(data, words);
  if (hits.length === 0) return <p>Nothing found. Other words may find more.</p>;
  return (
    <ol class="stack">
      {hits.map(({ path, id, label, text }) => (
        <li key={path + id}>
          <a href={hrefOf(path) + (id && `#${id}`)} data-row>
            {label}
          </a>
          <p class="small muted">{excerptOf(text, words)}</p>
        </li>
      ))}
    </ol>
  );
}

function excerptOf(text: string, words: string): string {
  const at = text.toLowerCase().indexOf(words.trim().split(' ')[0]?.toLowerCase() ?? '');
  return text.slice(text.lastIndexOf(' ', Math.max(0, at - 60)) + 1).slice(0, 200);
}
