/** Pieces of the views: buttons, forms, failures, progress and times. */
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

/** A link to another site, in a window of its own: leaving the page would end the session. `of` distinguishes it among others. */
export function elsewhere(url: string, text: string, of: string): Content {
  return html`<a href=${url} target="_blank" rel="noopener noreferrer" aria-label="${text}, ${of}, in a new window">${text}</a>`;
}
