/** REST responses after each record, to compare updates with: an update of a record equals the REST response of its sequence. */
import { expect } from 'vitest';
import { LIVE_CANDLE_SERIES, TIMEFRAMES } from '#contract/markets.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { RecordedService } from './recorded-service.ts';
import type { Frame, SocketClient } from './socket-client.ts';

const VALUES = [
  'cashBalanceAtoms',
  'equityAtoms',
  'availableForOrdersAtoms',
  'reservedForOrdersAtoms',
  'positionMarginAtoms',
  'readModelDigest',
];

/** The responses about one account, by sequence. */
export class RestResponses {
  readonly #positions = new Map<number, readonly Frame[]>();
  readonly #account = new Map<number, Frame>();

  note({ projection: { reads } }: RecordedService, account: AccountOrdinal): void {
    const positions = reads.positions(account);
    this.#positions.set(positions.snapshotSequence, plain(positions.positions) as Frame[]);
    this.#account.set(positions.snapshotSequence, plain(reads.accountSnapshot(account)) as Frame);
  }

  /** Compares every value of a position and of the margin in updates, and its evidence. */
  expectOf(client: SocketClient): void {
    for (const { sequence, data } of client.updates('account.positions')) {
      for (const { riskEvidence, ...position } of data.positions) {
        const { adlIndicator: _, ...rest } = this.#position(sequence, position.positionId) ?? {};
        if (position.status === 'open') expect(position).toEqual(rest);
        else expect(rest).toEqual({});
        this.#expectEvidence(sequence, riskEvidence, position);
      }
      for (const { positionId, ...risk } of data.riskChanges) expect(this.#position(sequence, positionId)).toMatchObject(risk);
    }
    for (const { sequence, data } of client.updates('account.margin')) {
      const account = this.#account.get(sequence)!;
      expect(data.riskEvidence).toEqual(account.riskEvidence);
      if (data.kind === 'values') expect(data).toMatchObject(Object.fromEntries(VALUES.map((name) => [name, account[name]])));
    }
  }

  /** The margin status after all updates up to a record equals REST's, if the record had a price. */
  expectStatuses(sequence: number, marketId: string, rowOf: (positionId: string) => string | undefined): void {
    for (const { positionId, marginStatus, ...position } of this.#positions.get(sequence) ?? [])
      if (position.marketId === marketId) expect([positionId, rowOf(positionId)]).toEqual([positionId, marginStatus]);
  }

  #position(sequence: number, positionId: string): Frame | undefined {
    return this.#positions.get(sequence)!.find((it) => it.positionId === positionId);
  }

  /** The account's evidence is the weakest of its positions'. */
  #expectEvidence(sequence: number, { status, missing }: Frame, position: Frame): void {
    const whole = this.#account.get(sequence)!.riskEvidence.status;
    if (position.status === 'closed') expect([status, missing]).toEqual(['complete', []]);
    else if (whole === 'complete') expect([status === 'stale', missing.includes('live_risk')]).toEqual([false, false]);
    else if (this.#positions.get(sequence)!.length === 1)
      expect([status === 'stale', missing.includes('live_risk')]).toEqual([whole === 'stale', whole === 'partial']);
  }
}

/** All candles of the series that are published, by name. */
export function candlesIn({ projection: { reads } }: RecordedService, markets: readonly MarketOrdinal[]): CandlesByName {
  const found: CandlesByName = new Map();
  for (const market of markets)
    for (const series of LIVE_CANDLE_SERIES)
      for (const timeframe of TIMEFRAMES) {
        const { marketId, page } = reads.candles({ market, series, timeframe, limit: 100_000 });
        const byTime = new Map((plain(page.entries) as Frame[]).map((candle) => [candle.openTimeEpochMs as number, candle]));
        found.set([marketId, series, timeframe].join(' '), byTime);
      }
  return found;
}

/** By market, series and timeframe, and then by open time. */
export type CandlesByName = Map<string, Map<number, Frame>>;

export function applyCandles(candles: CandlesByName, client: SocketClient): void {
  for (const { marketId, series, timeframe, data } of client.updates('market.candles'))
    for (const candle of data.candles) candles.get([marketId, series, timeframe].join(' '))!.set(candle.openTimeEpochMs, candle);
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
