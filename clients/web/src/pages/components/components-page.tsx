import { useState } from 'preact/hooks';
import { Checkbox } from '../../components/field.tsx';
import { Page } from '../../frame/page.tsx';
import { BadgeSection, ButtonSection } from './button-section.tsx';
import { ColorSection } from './color-section.tsx';
import { FieldSection } from './field-section.tsx';
import { MessageSection, OverlaySection } from './message-section.tsx';
import { NavigationSection } from './navigation-section.tsx';
import { PlotSection } from './plot-section.tsx';
import { TableSection } from './table-section.tsx';
import { TextSection } from './text-section.tsx';
import { TypeSection } from './type-section.tsx';

/** Every component in all its variants and states: in development only. */
export function ComponentsPage() {
  const [isLoading, setLoading] = useState(false);
  return (
    <Page
      title="Components"
      isReady
      actions={<Checkbox label="Show what is on its way" isChecked={isLoading} onChange={setLoading} />}
    >
      <ColorSection />
      <TypeSection />
      <ButtonSection />
      <BadgeSection />
      <FieldSection />
      <TableSection isLoading={isLoading} />
      <MessageSection />
      <OverlaySection />
      <NavigationSection />
      <PlotSection isLoading={isLoading} />
      <TextSection />
    </Page>
  );
}
