import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { keepItem } from '../../api/keep-item.ts';
import { session } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { TextField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { toast } from '../../components/toast.tsx';
import { useAddress } from '../../frame/address.ts';
import { safeLine } from '../../text/safe-text.ts';

/** The query of its address, without its page, is the view. */
type View = [name: string, query: string];

const MAX = { views: 20, name: 60, query: 2_000 };

/** The views that the signed-in user has named in this browser, and what names the present one. */
export function ViewMenu() {
  const { path } = useLocation();
  const query = new URLSearchParams(useAddress().query);
  for (const place of ['skip', 'after']) query.delete(place);
  const [views, setViews] = useState(readViews);
  const [name, setName] = useState('');
  const without = (name: string) => views.filter(([other]) => other !== name);
  const keep = (next: View[], typed = name) => {
    const isKept = keepItem(itemOfUser(), JSON.stringify(next));
    if (!isKept) return toast('Not saved: this browser keeps no more for these pages.', 'error');
    setViews(next);
    setName(typed);
  };
  const save = (event: Event) => {
    event.preventDefault();
    keep([...without(name.trim()), [name.trim(), query.toString()]], '');
  };
  const isFull = views.length >= MAX.views || query.toString().length > MAX.query;
  return (
    <Menu label="Views" staysOpen>
      {views.map(([one, address]) => (
        <div key={one} class="row">
          <a class="menu-item cut grow" href={`${path}?${address}`}>
            {safeLine(one)}
          </a>
          <Button isSmall kind="quiet" onClick={() => keep(without(one))}>
            Remove<span class="visually-hidden"> {safeLine(one)}</span>
          </Button>
        </div>
      ))}
      <form class="row" onSubmit={save}>
        <TextField
          label="Name of this view"
          hint="Its filters, columns and order"
          required
          maxLength={MAX.name}
          value={name}
          onInput={setName}
        />
        <Button type="submit" disabled={isFull || name.trim() === ''}>
          Save
        </Button>
      </form>
    </Menu>
  );
}

function readViews(): View[] {
  try {
    const kept: View[] = JSON.parse(localStorage.getItem(itemOfUser()) ?? '[]');
    return kept.filter((view) => view.length === 2 && view.every((text) => typeof text === 'string'));
  } catch {
    return [];
  }
}

function itemOfUser(): string {
  return `fleet.task-views ${session.peek()?.user}`;
}
