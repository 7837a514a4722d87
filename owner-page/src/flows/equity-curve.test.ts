/** Exact equity of paper ledgers, and where it is drawn. */
import { describe, expect, test } from 'vitest';
import { changeOf, FLAT, ledgerOf, MARKET, orderOf } from '#owner-page/testing/agent-resources.ts';
import { chartScale } from './chart-scale.ts';
import { equityOf, pointsOf, priceAtomsOf } from './equity-curve.ts';

describe('the equity of a paper ledger', () => {
  test.each([
    // 0.05 BTC at 65,545.5, bought for 3,278.14, fees 1.63907: the figures of a venue.
    ['long', ledgerOf(500, -3_278_140_000, 1_639_070), '655455', -2_504_070n],
    ['short', ledgerOf(-500, 3_278_140_000, 1_639_070), '655455', -774_070n],
    ['flat without a mark', ledgerOf(0, 5, 2), null, 3n],
    // As doubles, this position times its mark is 8128999999999999000000.
    ['beyond doubles', ledgerOf(8_129, 0), '9999999999999999', 812_899_999_999_999_918_710n],
    ['open without a mark', ledgerOf(1, 0), null, undefined],
  ])('%s', (_, ledger, mark, equity) => {
    expect(equityOf(ledger, mark, MARKET)).toBe(equity);
  });

  test('is a point for each order and each change with a flat position', () => {
    const bought = ledgerOf(500, -3_278_140_000, 1_639_070);
    const actions = [
      changeOf(1, 'deployment_started'),
      orderOf(2, bought, '655455'),
      orderOf(3, bought, '655455', { outcome: 'refused' }),
      changeOf(4, 'deployment_stopped', bought),
    ];
    expect(pointsOf(actions, MARKET)).toEqual([
      { epochMs: 1_000, equityAtoms: 0n, event: 'Started' },
      { epochMs: 2_000, equityAtoms: -2_504_070n, event: 'Entry' },
      { epochMs: 3_000, equityAtoms: -2_504_070n, event: 'Entry, not filled' },
    ]);
    expect(pointsOf([changeOf(5, 'deployment_stopped', FLAT)], MARKET)).toHaveLength(1);
  });

  test('has prices in atoms of the market', () => {
    expect([priceAtomsOf('65545.5', MARKET), priceAtomsOf('0', MARKET)]).toEqual(['655455', null]);
  });
});

describe('the places of a curve', () => {
  const point = (epochMs: number, equityAtoms: bigint) => ({ epochMs, equityAtoms, event: '' });

  test('fill the plot from the first to the last moment, with zero and space', () => {
    const { xOf, yOf, lines } = chartScale([point(1_000, 0n), point(2_000, -2_504_070n), point(3_000, -1_000_000n)]);
    expect([xOf(1_000), xOf(2_000), xOf(3_000)]).toEqual([0, 500, 1_000]);
    expect(lines).toEqual([-2_000_000n, -1_000_000n, 0n]);
    expect([yOf(500_000n), yOf(-3_004_070n)]).toEqual([0n, 1_000n]);
    expect(yOf(0n)).toBeLessThan(yOf(-1_000_000n));
  });

  test.each([
    [[0n, 0n], [0n]],
    [
      [0n, 7n],
      [0n, 2n, 4n, 6n],
    ],
    [
      [-123n, 456n],
      [0n, 200n, 400n],
    ],
    [
      [10n ** 15n, 10n ** 15n],
      [0n, 5n * 10n ** 14n, 10n ** 15n],
    ],
  ])('have round lines for %s', (equities, expected) => {
    expect(chartScale(equities.map((equity, index) => point(index, equity))).lines).toEqual(expected);
  });
});
