/**
 * A backtest as an SVG picture: the price with the trades on it, below it the equity beside buying and holding. It has no scripts and no
 * links, and follows the viewer's light or dark scheme. The same backtest gives the same bytes.
 */

import type { BacktestResult } from '#agents/backtest/backtest.ts';
import type { BacktestTerms, TimedBar } from '#agents/backtest/backtest-terms.ts';
import type { EquityCurve } from '#agents/backtest/equity-curve.ts';
import { renderDecimal } from '#units/decimal.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import { roundTimes, timeLabel } from './axes.ts';
import { type Area, Panel, type TimedValue } from './panel.ts';
import { STYLE } from './style.ts';
import { tradeMarks } from './trade-marks.ts';
import { element, escapeXml, pixels } from './xml.ts';

const WIDTH = 1_200;
const HEIGHT = 720;
const [LEFT, RIGHT] = [24, 1_096];
const PRICE_AREA: Area = { left: LEFT, right: RIGHT, top: 112, bottom: 424 };
const EQUITY_AREA: Area = { left: LEFT, right: RIGHT, top: 488, bottom: 672 };
const TIME_LABEL_Y = 696;
/** Half of a label: one farther left would be cut off. */
const MIN_LABEL_X = 44;
const MAX_TITLE = 70;

/** @param bars those that the backtest has taken; not empty */
export function backtestChart(result: BacktestResult, bars: readonly TimedBar[], title: string, terms: BacktestTerms): string {
  const { market, spanMs } = terms;
  const shown = bars.slice(0, result.equity.points.length);
  const closes = shown.map(({ openedAtEpochMs, closeAtoms }) => ({ epochMs: openedAtEpochMs + spanMs, value: closeAtoms }));
  const times = [closes[0]?.epochMs ?? 0, closes.at(-1)?.epochMs ?? 0] as const;
  const [equity, hold] = [result.equity, result.buyAndHold.equity].map((curve) => timed(curve, closes)) as [
    TimedValue[],
    TimedValue[],
  ];
  const price = new Panel(
    PRICE_AREA,
    times,
    closes.map(({ value }) => value),
  );
  const money = new Panel(EQUITY_AREA, times, [0, ...equity.map(({ value }) => value), ...hold.map(({ value }) => value)]);
  const shownTitle = `${shortened(title)} on ${market.marketId}`;
  const subtitle = subtitleOf(result, [shown[0]?.openedAtEpochMs ?? 0, times[1]]);
  return `${element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: 'img' },
    [
      '',
      element('title', {}, escapeXml(shownTitle)),
      element('desc', {}, escapeXml(subtitle)),
      element('style', {}, STYLE),
      element('rect', { class: 'page', width: WIDTH, height: HEIGHT }),
      text('title', LEFT, 36, shownTitle),
      text('label', LEFT, 60, subtitle),
      ...timeGrid(price, times),
      ...priceLegend(),
      ...price.grid(6, (value) => renderDecimal(value, market.priceScale)),
      price.line('price', closes, spanMs),
      ...tradeMarks(result.trades, price, closes.at(-1)),
      text('caption', LEFT, EQUITY_AREA.top - 16, 'Equity in USD.E'),
      ...key(LEFT + 128, EQUITY_AREA.top - 20, 'equity', 'strategy'),
      ...key(LEFT + 230, EQUITY_AREA.top - 20, 'hold', 'buy and hold'),
      ...money.grid(4, (value) => renderDecimal(value, SETTLEMENT_DECIMALS)),
      money.line('hold', hold, spanMs),
      money.line('equity', equity, spanMs),
      '',
    ].join('\n'),
  )}\n`;
}

/** A title that leaves space for the market. */
function shortened(title: string): string {
  const characters = Array.from(title);
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join('')}…` : title;
}

function subtitleOf({ equity, ledger, trades, buyAndHold }: BacktestResult, [first, last]: readonly [number, number]): string {
  const money = (atoms: number) => renderDecimal(atoms, SETTLEMENT_DECIMALS);
  const time = (epochMs: number) => renderIsoTime(epochMs).slice(0, 16).replace('T', ' ');
  const facts = [
    `${time(first)} to ${time(last)} UTC`,
    `net PnL ${money(equity.lastAtoms)} (buy and hold ${money(buyAndHold.equity.lastAtoms)})`,
    `fees ${money(ledger.feesQuoteAtoms)}`,
    `max drawdown ${money(equity.drawdown.amountAtoms)}`,
    `${trades.length} trades`,
  ];
  return facts.join(' · ');
}

function timed({ points }: EquityCurve, closes: readonly TimedValue[]): TimedValue[] {
  return points.map((value, index) => ({ epochMs: closes[index]!.epochMs, value }));
}

/** Vertical lines through both panels, with their times below. */
function timeGrid(panel: Panel, [first, last]: readonly [number, number]): string[] {
  const times = roundTimes(first, last, 8);
  return times.flatMap((epochMs) => {
    const x = pixels(panel.x(epochMs));
    const lines = [PRICE_AREA, EQUITY_AREA].map(({ top, bottom }) =>
      element('line', { class: 'grid', x1: x, x2: x, y1: top, y2: bottom }),
    );
    return [
      ...lines,
      element(
        'text',
        { class: 'label middle', x: pixels(Math.max(panel.x(epochMs), MIN_LABEL_X)), y: TIME_LABEL_Y },
        escapeXml(timeLabel(renderIsoTime(epochMs), times)),
      ),
    ];
  });
}

function text(name: string, x: number, y: number, content: string): string {
  return element('text', { class: name, x, y }, escapeXml(content));
}

/** What the marks mean. */
function priceLegend(): string[] {
  const y = PRICE_AREA.top - 16;
  return [
    text('caption', LEFT, y, 'Price in USD'),
    element('path', { class: 'long', d: `M${LEFT + 128} ${y}h11l-5.5 -11z` }),
    text('label', LEFT + 146, y, 'long'),
    element('path', { class: 'short', d: `M${LEFT + 190} ${y - 11}h11l-5.5 11z` }),
    text('label', LEFT + 208, y, 'short'),
    ...key(LEFT + 256, y - 4, 'gain', 'gain'),
    ...key(LEFT + 330, y - 4, 'loss', 'loss'),
  ];
}

/** A sample of a line with its meaning. */
function key(x: number, y: number, name: string, meaning: string): string[] {
  return [element('path', { class: name, d: `M${x} ${y}h24` }), text('label', x + 30, y + 4, meaning)];
}
