/**
 * The paper equity over time as a drawing with a text alternative and a table. Amounts are exact; only the places of the drawing are
 * rounded, to a thousandth of the plot.
 */
import { html, svg } from 'lit-html';
import { chartScale, PLOT } from '../flows/chart-scale.ts';
import type { EquityPoint } from '../flows/equity-curve.ts';
import { shownGain } from '../money.ts';
import { type Content, shownTime } from './parts.ts';

/** @param points oldest first */
export function equityCurve(points: readonly EquityPoint[]): Content {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2)
    return html`<p class="hint">The curve starts with the deployment.</p>`;
  return html`
    <figure class="curve">
      ${drawing(points, summary(points, first, last))}
      <figcaption><span>${shownTime(first.epochMs)}</span> <span>${shownTime(last.epochMs)}</span></figcaption>
    </figure>
    ${table(points)}
  `;
}

function summary(points: readonly EquityPoint[], first: EquityPoint, last: EquityPoint): string {
  const sorted = points.map(({ equityAtoms }) => equityAtoms).sort((left, right) => (left < right ? -1 : 1));
  const range = `lowest ${shownGain(sorted[0]!)}, highest ${shownGain(sorted.at(-1)!)}`;
  return `${points.length} points from ${shownTime(first.epochMs)} to ${shownTime(last.epochMs)}: from ${shownGain(first.equityAtoms)} to ${shownGain(last.equityAtoms)}, ${range}. The table below has all of them.`;
}

/** Lines and labels are placed in percent, so that text has its own size; the curve is stretched to the plot. */
function drawing(points: readonly EquityPoint[], description: string): Content {
  const { xOf, yOf, lines } = chartScale(points);
  const places = points.map(({ epochMs, equityAtoms }) => `${xOf(epochMs)} ${yOf(equityAtoms)}`);
  const path = `M${places.join('L')}`;
  return html`<svg role="img" aria-labelledby="curve-title" aria-describedby="curve-description">
    <title id="curve-title">Paper equity over time</title>
    <desc id="curve-description">${description}</desc>
    ${lines.map((atoms) => gridLine(percentOf(yOf(atoms)), atoms))}
    <svg viewBox="0 0 ${PLOT} ${PLOT}" preserveAspectRatio="none" width="100%" height="100%">
      <path class="area" d="${path}L${PLOT} ${yOf(0n)}L0 ${yOf(0n)}Z"></path>
      <path class="line" d=${path}></path>
      <path class="dots" d=${places.map((place) => `M${place}h0`).join('')}></path>
    </svg>
    ${lines.map((atoms) => label(percentOf(yOf(atoms)), atoms))}
  </svg>`;
}

function gridLine(y: string, atoms: bigint) {
  return svg`<line class=${atoms === 0n ? 'zero' : 'grid'} x1="0" x2="100%" y1=${y} y2=${y}></line>`;
}

/** Above the line of the curve. */
function label(y: string, atoms: bigint) {
  return svg`<text x="0" y=${y} dy="-4">${shownGain(atoms)}</text>`;
}

function percentOf(thousandths: bigint): string {
  return `${thousandths / 10n}.${thousandths % 10n}%`;
}

function table(points: readonly EquityPoint[]): Content {
  return html`<details>
    <summary>The curve as a table</summary>
    <table>
      <caption class="for-screen-readers">Paper equity over time, newest first</caption>
      <thead><tr><th scope="col">Time</th><th scope="col">Event</th><th scope="col">Equity</th></tr></thead>
      <tbody>${points.toReversed().map(row)}</tbody>
    </table>
  </details>`;
}

function row({ epochMs, equityAtoms, event }: EquityPoint): Content {
  return html`<tr><th scope="row">${shownTime(epochMs)}</th><td>${event}</td><td class="amount">${shownGain(equityAtoms)}</td></tr>`;
}
