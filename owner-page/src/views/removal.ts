/** Removes an entry of a list, after a second click. */
import { html } from 'lit-html';
import type { RemovableList } from '../panels/removable-list.ts';
import { button, type Content } from './parts.ts';

export interface RemovalTexts {
  readonly verb: string;
  /** Of the entry. */
  readonly name: string;
  readonly warning: string;
}

export function removal<Entry>(list: RemovableList<Entry>, id: string, { verb, name, warning }: RemovalTexts): Content {
  const { isBusy } = list;
  if (list.confirming !== id)
    return button(verb, () => list.confirmRemoval(id), { isBusy, kind: 'quiet', id: `remove-${id}`, name: `${verb} ${name}` });
  return html`<div class="confirm" id="confirm-${id}" tabindex="-1" role="group" aria-label="${verb} ${name}?">
    <p>${verb} “${name}”? ${warning}</p>
    <p class="row">
      ${button(verb, () => list.remove(id), { isBusy, kind: 'danger', name: `${verb} ${name} now` })}
      ${button('Keep', () => list.keep(id), { isBusy, kind: 'quiet', name: `Keep ${name}` })}
    </p>
  </div>`;
}
