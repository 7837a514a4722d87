/** Fields of forms: each with its label, a hint, and what is wrong with it. */
import { html, nothing } from 'lit-html';
import type { Content } from './parts.ts';

interface Labelled {
  readonly label: string;
  readonly name: string;
  readonly id: string;
  readonly hint?: string | undefined;
  readonly failure?: string | undefined;
}

export interface FieldOptions extends Labelled {
  readonly type?: 'text' | 'password';
  readonly value?: string;
  readonly autocomplete?: string;
  readonly inputmode?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
  readonly onInput?: (value: string) => void;
}

export function field(options: FieldOptions): Content {
  const { label, name, id, type = 'text', isOptional = false, onInput } = options;
  return labelled(
    { ...options, label: `${label}${isOptional ? ' (optional)' : ''}` },
    html`<input
      id=${id}
      name=${name}
      type=${type}
      .value=${options.value ?? ''}
      maxlength=${options.maxLength ?? 128}
      autocomplete=${(options.autocomplete ?? 'off') as never}
      inputmode=${options.inputmode ?? nothing}
      spellcheck="false"
      autocapitalize="off"
      ?required=${!isOptional}
      aria-invalid=${invalid(options)}
      aria-describedby=${described(options)}
      @input=${onInput === undefined ? nothing : inputOf(onInput)}
    />`,
  );
}

export interface TextAreaOptions extends Labelled {
  readonly value: string;
  readonly rows: number;
  readonly maxLength: number;
  readonly onInput: (value: string) => void;
}

/** For text of several lines, such as a script. */
export function textArea(options: TextAreaOptions): Content {
  const { name, id, value, rows, maxLength, onInput } = options;
  return labelled(
    options,
    html`<textarea
      class="code"
      id=${id}
      name=${name}
      .value=${value}
      rows=${rows}
      maxlength=${maxLength}
      autocomplete="off"
      spellcheck="false"
      autocapitalize="off"
      aria-invalid=${invalid(options)}
      aria-describedby=${described(options)}
      @input=${inputOf(onInput)}
    ></textarea>`,
  );
}

export interface ChoiceOptions extends Labelled {
  readonly chosen: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange?: (value: string) => void;
}

export function choice(options: ChoiceOptions): Content {
  const { name, id, chosen, onChange } = options;
  return labelled(
    options,
    html`<select
      id=${id}
      name=${name}
      aria-invalid=${invalid(options)}
      aria-describedby=${described(options)}
      @change=${onChange === undefined ? nothing : inputOf(onChange)}
    >${options.options.map(({ value, text }) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}</select>`,
  );
}

/** A box with its label beside it. */
export function checkBox({
  label,
  name,
  id,
  isChecked,
}: Omit<Labelled, 'hint' | 'failure'> & { readonly isChecked: boolean }): Content {
  return html`<div class="field check">
    <input id=${id} name=${name} type="checkbox" ?checked=${isChecked} />
    <label for=${id}>${label}</label>
  </div>`;
}

function labelled({ label, id, hint, failure }: Labelled, control: Content): Content {
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${control}
    ${hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${failure === undefined ? nothing : html`<p class="failure" role="alert" id="${id}-failure">${failure}</p>`}
  </div>`;
}

function described({ id, hint, failure }: Labelled): string | typeof nothing {
  const ids = [hint === undefined ? '' : `${id}-hint`, failure === undefined ? '' : `${id}-failure`].join(' ').trim();
  return ids === '' ? nothing : ids;
}

function invalid({ failure }: Labelled): 'true' | typeof nothing {
  return failure === undefined ? nothing : 'true';
}

function inputOf(use: (value: string) => void): (event: Event) => void {
  return ({ target }) => use((target as HTMLInputElement).value);
}
