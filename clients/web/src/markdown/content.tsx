import { type ComponentChild, h } from 'preact';
import { useMemo } from 'preact/hooks';
import { CopyButton } from '../components/copy.tsx';
import { LongText } from '../text/long-text.tsx';
import type { CodeBlock, Content } from './elements.ts';

/** A part of a text, which never changes once it is parsed. */
export function Section({ content }: { content: readonly Content[] }) {
  const nodes = useMemo(() => content.map(toNode), [content]);
  return <>{nodes}</>;
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
        <code>{text}</code>
      </pre>
    </figure>
  );
}
