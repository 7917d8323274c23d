import { useEffect, useState } from 'preact/hooks';
import { SkeletonLines } from '../components/skeleton.tsx';
import { LongText } from '../text/long-text.tsx';
import { Section } from './content.tsx';
import type { MarkdownDocument } from './parse-markdown.ts';

/** So many sections are added to the page at once. */
const SECTIONS_PER_TURN = 4;

interface MarkdownProps {
  /** Without front matter, which `splitFrontMatter` separates: all of this text is shown. */
  text: string;
  /** The page of the text where it lives; relative links start there. */
  baseUrl?: string;
}

/** Renders Markdown from anywhere; its headings start at h2. The parser is loaded when it is needed. */
export function Markdown({ text, baseUrl }: MarkdownProps) {
  const [parsed, setParsed] = useState<MarkdownDocument>();
  const [isFailed, setFailed] = useState(false);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setFailed(false);
    parse(text, baseUrl, signal).then(
      (result) => signal.aborted || setParsed(result),
      () => signal.aborted || setFailed(true),
    );
    return () => controller.abort();
  }, [text, baseUrl]);

  if (isFailed) return <Source text={text} />;
  if (parsed === undefined) return <SkeletonLines lines={8} />;
  return <Rendered parsed={parsed} />;
}

async function parse(text: string, baseUrl: string | undefined, signal: AbortSignal): Promise<MarkdownDocument> {
  const { parseMarkdown } = await import('./parse-markdown.ts');
  return parseMarkdown(text, { baseUrl, signal });
}

function Rendered({ parsed }: { parsed: MarkdownDocument }) {
  const { sections, isPartial } = parsed;
  const [shown, setShown] = useState(SECTIONS_PER_TURN);
  const isComplete = shown >= sections.length;

  useEffect(() => {
    if (isComplete) return goToAnchor();
    const timer = setTimeout(() => setShown(shown + SECTIONS_PER_TURN));
    return () => clearTimeout(timer);
  }, [shown, isComplete]);

  return (
    <div class="markdown">
      {isPartial && (
        <p class="small muted">Parts of this text are shown as source: they are too long or too deeply nested.</p>
      )}
      {sections.slice(0, shown).map((content, index) => (
        <Section key={index} content={content} />
      ))}
    </div>
  );
}

function Source({ text }: { text: string }) {
  return (
    <div class="markdown">
      <p class="small muted">Shown as source: the renderer could not be loaded. Reload the page to try again.</p>
      <LongText text={text} isMono />
    </div>
  );
}

/** The browser has looked for the anchor of the page's address before there was one: it does so again. */
function goToAnchor(): void {
  if (location.hash.startsWith('#md')) location.replace(location.hash);
}
