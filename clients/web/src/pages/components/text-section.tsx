import { JsonView } from '../../json/json-view.tsx';
import { Markdown } from '../../markdown/markdown.tsx';
import { LongText } from '../../text/long-text.tsx';
import { HOSTILE_TEXT, JSON_VALUE, LONG_TEXT, MARKDOWN } from './sample-texts.ts';
import { Sample, Section } from './section.tsx';

/** Texts from elsewhere. */
export function TextSection() {
  return (
    <Section title="Texts">
      <Sample label="Hostile">
        <LongText text={HOSTILE_TEXT} />
      </Sample>
      <Sample label="Long">
        <LongText text={LONG_TEXT} maxCharacters={200} isMono />
      </Sample>
      <Sample label="JSON">
        <JsonView label="the sample" value={JSON_VALUE} />
      </Sample>
      <Sample label="Markdown">
        <Markdown text={MARKDOWN} />
      </Sample>
    </Section>
  );
}
