import { useAddress } from '../../frame/address.ts';
import { WINDOWS, windowOf } from './series-window.ts';

/** How far back the plots go; the address keeps it. */
export function WindowButtons() {
  const { query, set } = useAddress();
  const shown = windowOf(query);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form.
    <div class="segments" role="group" aria-label="Window of the plots">
      {WINDOWS.map((one, index) => (
        <button
          key={one.window}
          type="button"
          class="segment"
          aria-pressed={one === shown}
          onClick={() => set({ window: index === 0 ? undefined : String(one.window) }, true)}
        >
          {one.label}
        </button>
      ))}
    </div>
  );
}
