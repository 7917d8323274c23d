import { type ComponentChild, h } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { CopyButton } from '../components/copy.tsx';
import { LongText } from '../components/long-text.tsx';
import { SkeletonLines } from '../components/skeleton.tsx';
import { highlight } from '../text/highlight.tsx';
import { toAddress } from './addresses.ts';
import type { CodeBlock, Content } from './elements.ts';
import { type MarkdownDocument, parseMarkdown } from './parse-markdown.ts';
import './markdown.css';

/** So many blocks are added to the page at once. */
const BLOCKS_PER_TURN = 50;

interface MarkdownProps {
  /** Without front matter, which `splitFrontMatter` separates: all of this text is shown. */
  text: string;
  /** The page of the text where it lives; relative links start there. */
  baseUrl?: string;
}

/** Renders Markdown from anywhere; its headings start at h2. */
export function Markdown({ text, baseUrl }: MarkdownProps) {
  const [parsed, setParsed] = useState<MarkdownDocument>();
  const [isFailed, setFailed] = useState(false);

  useEffect(() => {
    let isWanted = true;
    setFailed(false);
    parseMarkdown(text, (url) => toAddress(url, baseUrl)).then(
      (result) => isWanted && setParsed(result),
      () => isWanted && setFailed(true),
    );
    return () => {
      isWanted = false;
    };
  }, [text, baseUrl]);

  if (isFailed) return <Source text={text} />;
  if (parsed === undefined) return <SkeletonLines lines={Math.min(8, Math.ceil(text.length / 80))} />;
  return <Rendered parsed={parsed} />;
}

/** Adds a few blocks at a time to the page. */
export function Rendered({ parsed }: { parsed: MarkdownDocument }) {
  const { isPartial } = parsed;
  const nodes = useMemo(() => parsed.blocks.map(toNode), [parsed]);
  const [shown, setShown] = useState(BLOCKS_PER_TURN);
  const isComplete = shown >= nodes.length;

  useEffect(() => {
    if (isComplete) return goToAnchor();
    const timer = setTimeout(() => setShown(shown + BLOCKS_PER_TURN));
    return () => clearTimeout(timer);
  }, [shown, isComplete]);

  return (
    <div class="markdown">
      {isPartial && (
        <p class="small muted">
          Parts of this text are shown as source: they are too long, too wide or too deeply nested.
        </p>
      )}
      {nodes.slice(0, shown)}
    </div>
  );
}

function toNode(content: Content): ComponentChild {
  if (typeof content === 'string') return content;
  if (content.kind === 'code') return <Code {...content} />;
  if (content.kind === 'plain') return <LongText text={content.text} isMono />;
  return h(content.name as string, { ...content.attributes }, content.children.map(toNode));
}

function Code({ language, text }: CodeBlock) {
  return (
    <figure class="md-code">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={text} what="code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also by keyboard. */}
      <pre tabIndex={0}>
        <code>{highlight(text, language)}</code>
      </pre>
    </figure>
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
