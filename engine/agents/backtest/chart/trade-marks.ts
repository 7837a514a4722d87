/** The trades of a backtest on the price: a triangle up for a long entry, down for a short one, a line to the circle of the exit. */
import type { Trade } from '#agents/backtest/trade-log.ts';
import type { Panel, TimedValue } from './panel.ts';
import { element, pixels } from './xml.ts';

/** With more trades than this the marks would hide the price, so they are smaller. */
const MANY_TRADES = 60;

/** @param last the last close, where the line of an open trade ends */
export function tradeMarks(trades: readonly Trade[], panel: Panel, last: TimedValue | undefined): string[] {
  const size = trades.length > MANY_TRADES ? 3 : 5.5;
  // The lines first, so that they cover no mark.
  return [
    ...trades.map((trade) => spanOf(trade, panel, last)),
    ...trades.flatMap((trade) => [...exitOf(trade, panel, size), entryOf(trade, panel, size)]),
  ];
}

function resultOf({ pnlAtoms }: Trade): string {
  return pnlAtoms > 0 ? 'gain' : 'loss';
}

function spanOf(trade: Trade, panel: Panel, last: TimedValue | undefined): string {
  const { openedAtEpochMs, entryPriceAtoms, closedAtEpochMs, exitPriceAtoms } = trade;
  const from = `${pixels(panel.x(openedAtEpochMs))} ${pixels(panel.y(entryPriceAtoms))}`;
  const to = `${pixels(panel.x(closedAtEpochMs ?? last?.epochMs ?? openedAtEpochMs))} ${pixels(panel.y(exitPriceAtoms ?? last?.value ?? entryPriceAtoms))}`;
  return element('path', { class: resultOf(trade), d: `M${from}L${to}` });
}

function exitOf(trade: Trade, panel: Panel, size: number): string[] {
  const { closedAtEpochMs, exitPriceAtoms } = trade;
  if (closedAtEpochMs === null || exitPriceAtoms === null) return [];
  const [cx, cy] = [pixels(panel.x(closedAtEpochMs)), pixels(panel.y(exitPriceAtoms))];
  return [element('circle', { class: resultOf(trade), cx, cy, r: size / 2 })];
}

function entryOf({ direction, openedAtEpochMs, entryPriceAtoms }: Trade, panel: Panel, size: number): string {
  const [x, y] = [panel.x(openedAtEpochMs), panel.y(entryPriceAtoms)];
  const sign = direction === 'long' ? 1 : -1;
  const [base, tip] = [pixels(y + sign * size), pixels(y - sign * size)];
  return element('path', { class: direction, d: `M${pixels(x - size)} ${base}H${pixels(x + size)}L${pixels(x)} ${tip}z` });
}
