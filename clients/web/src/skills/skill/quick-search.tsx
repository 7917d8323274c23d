import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { TextField } from '../../components/field.tsx';
import { hrefWith } from '../search/address-links.ts';

/** Leads to the catalogue with the words that are entered. */
export function QuickSearch() {
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
