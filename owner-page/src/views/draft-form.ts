/** The form of a new draft: name and script, and beside it the places that the venue refuses. */
import { html, nothing } from 'lit-html';
import { type DraftsPanel, MAX_SCRIPT_LENGTH } from '../panels/drafts.ts';
import { field, textArea } from './fields.ts';
import { type Content, onSubmit, submit } from './parts.ts';
import { refusalList } from './script.ts';

export function draftForm(drafts: DraftsPanel): Content {
  const { name, text, refused } = drafts;
  return html`<form novalidate @submit=${onSubmit(() => drafts.create())}>
    ${field({
      label: 'Name of the draft',
      name: 'name',
      id: 'draft-name',
      value: name,
      maxLength: 64,
      failure: drafts.nameFailure,
      onInput: (value) => {
        drafts.name = value;
      },
    })}
    ${textArea({
      label: 'Script',
      name: 'text',
      id: 'draft-text',
      value: text,
      rows: 12,
      maxLength: MAX_SCRIPT_LENGTH,
      hint: 'A subset of Pine Script 5 and 6. A script that does not fit is refused with its lines, and not stored.',
      failure: drafts.textFailure,
      onInput: (value) => {
        drafts.text = value;
      },
    })}
    ${
      refused === undefined
        ? nothing
        : html`<div class="failure" id="script-refusals" tabindex="-1">
            <h3>The script does not fit. Nothing was stored.</h3>
            ${refusalList(refused.text, refused.refusals, selectLine)}
          </div>`
    }
    ${submit('Draft and review', drafts.isBusy)}
  </form>`;
}

/** In the field of the script. */
function selectLine(line: number): void {
  const field = document.querySelector<HTMLTextAreaElement>('#draft-text')!;
  const before = field.value.split('\n').slice(0, line - 1);
  const start = before.reduce((length, text) => length + text.length + 1, 0);
  const end = field.value.indexOf('\n', start);
  field.focus();
  field.setSelectionRange(start, end < 0 ? field.value.length : end);
}
