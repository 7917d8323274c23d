import { useMemo } from 'preact/hooks';
import { Facts } from '../components/facts.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { FilePatch } from '../patch/patch-view.tsx';
import { SkillList } from '../tasks/skill-list.tsx';
import { safeText } from '../text/safe-text.ts';
import type { Definition } from './definition.ts';
import { changesOf, textsOf } from './definition-changes.ts';
import './definitions.css';

/** All that a version says, by the names of its fields; instructions last. */
export function DefinitionView({ definition }: { definition: Definition }) {
  const { instructions, skills } = definition;
  const named = skills.map((skill) => (typeof skill === 'string' ? { id: skill } : skill));
  const texts = [...textsOf(definition)].filter(([name]) => name !== 'Instructions');
  return (
    <>
      <Facts
        facts={texts.map(([name, text]) => [
          name,
          name === 'Skills' ? <SkillList skills={named} /> : <div class="definition-lines">{safeText(text)}</div>,
        ])}
      />
      {instructions && (
        <section class="definition-text" aria-label="Instructions">
          <Markdown text={instructions} />
        </section>
      )}
    </>
  );
}

/** What is different between two versions: field by field, each as lines. */
export function DefinitionChanges({ before, after }: { before: Definition; after: Definition }) {
  const changes = useMemo(() => changesOf(before, after), [before, after]);
  if (changes.length === 0) return <p class="patch-more muted">Nothing is different.</p>;
  return (
    <>
      {changes.map((change) => (
        <FilePatch key={change.path} isOpenAtFirst {...change} />
      ))}
    </>
  );
}
