/** A script with its line numbers, and the places of it that are refused. */
import { html, nothing } from 'lit-html';
import type { ScriptRefusal } from '../venue/agent-resources.ts';
import { button, type Content } from './parts.ts';

/** Closed at first. `title` names it among other scripts. */
export function scriptText(text: string, title: string): Content {
  return html`<details class="script">
    <summary>${title}</summary>
    <ol class="code">${text
      .trimEnd()
      .split('\n')
      .map((line) => html`<li>${line}</li>`)}</ol>
  </details>`;
}

/** @param goTo shows a place in the script, if it can be edited */
export function refusalList(text: string, refusals: readonly ScriptRefusal[], goTo?: (line: number) => void): Content {
  const lines = text.split('\n');
  return html`<ol class="list">
    ${refusals.map(
      ({ line, column, reason, remedy }) => html`<li class="refusal">
        <p><strong>Line ${line}, column ${column}</strong></p>
        ${excerpt(lines[line - 1] ?? '', column)}
        <p>${reason}. ${remedy}</p>
        ${goTo === undefined ? nothing : button(`Go to line ${line}`, () => goTo(line), { kind: 'quiet', name: `Go to line ${line}, column ${column}` })}
      </li>`,
    )}
  </ol>`;
}

/** The line, marked from the place on. */
function excerpt(line: string, column: number): Content {
  const start = column - 1;
  return html`<p class="code excerpt">${line.slice(0, start)}<mark>${line.slice(start)}</mark></p>`;
}
