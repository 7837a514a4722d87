/** Pieces of the views: buttons, fields, failures, progress and lists of steps. */
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Panel } from '../panels/panel.ts';

/** What a template accepts as content. */
export type Content = TemplateResult | typeof nothing | string;

export interface ButtonOptions {
  readonly isBusy?: boolean;
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly id?: string;
  /** For screen readers, if the label alone is ambiguous. */
  readonly name?: string;
}

/** A busy button keeps the focus, so it is not disabled: the panel ignores the click. */
export function button(label: string, onClick: () => unknown, options: ButtonOptions = {}): Content {
  const { isBusy = false, kind = 'primary', id, name } = options;
  return html`<button
    type="button"
    class=${kind}
    id=${id ?? nothing}
    aria-label=${name ?? nothing}
    aria-disabled=${isBusy ? 'true' : nothing}
    @click=${onClick}
  >${label}</button>`;
}

export function submit(label: string, isBusy: boolean): Content {
  return html`<button type="submit" class="primary" aria-disabled=${isBusy ? 'true' : nothing}>${label}</button>`;
}

/** Calls back with the fields of the form. The browser checks required ones first, and sends nothing. */
export function onSubmit(
  use: (fields: (name: string) => string, form: HTMLFormElement) => unknown,
): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const data = new FormData(form);
    use((name) => String(data.get(name) ?? ''), form);
  };
}

export interface FieldOptions {
  readonly label: string;
  readonly name: string;
  readonly id: string;
  readonly type?: 'text' | 'password';
  readonly value?: string;
  readonly hint?: string;
  readonly failure?: string | undefined;
  readonly autocomplete?: string;
  readonly inputmode?: string;
  readonly isOptional?: boolean;
  readonly maxLength?: number;
  readonly onInput?: (value: string) => void;
}

export function field(options: FieldOptions): Content {
  const { label, name, id, type = 'text', hint, failure, isOptional = false, onInput } = options;
  const described = [hint === undefined ? '' : `${id}-hint`, failure === undefined ? '' : `${id}-failure`].join(' ').trim();
  return html`<div class="field">
    <label for=${id}>${label}${isOptional ? ' (optional)' : ''}</label>
    <input
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
      aria-invalid=${failure === undefined ? nothing : 'true'}
      aria-describedby=${described === '' ? nothing : described}
      @input=${onInput === undefined ? nothing : (event: Event) => onInput((event.target as HTMLInputElement).value)}
    />
    ${hint === undefined ? nothing : html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${failure === undefined ? nothing : html`<p class="failure" role="alert" id="${id}-failure">${failure}</p>`}
  </div>`;
}

/** What a panel does now, and what failed. Screen readers get the progress from the status line. */
export function condition({ doing, failure }: Panel): Content {
  return html`${doing === undefined ? nothing : html`<p class="progress"><span class="spinner"></span>${doing}</p>`}
  ${failure === undefined ? nothing : html`<p class="failure" role="alert">${failure}</p>`}`;
}

/** The title of a view gets the focus when the view opens. */
export function viewTitle(text: string): Content {
  return html`<h1 id="view-title" tabindex="-1">${text}</h1>`;
}

/** The day of a moment in ISO 8601. */
export function shownDate(isoTime: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(Date.parse(isoTime));
}

/** A moment in the owner's own time zone and language. */
export function shownTime(epochMs: number): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(epochMs);
}
