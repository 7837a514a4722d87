/** What the venue's documents say of leverage: the one that an account chose in a market applies to its orders that set none. */
import type { LeverageSet, OrderAccepted } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Markets } from './markets.ts';

export class Leverages {
  readonly #markets: Markets;
  readonly #chosen = new Map<string, number>();
  /** 0, in scenarios: orders without a leverage use the highest one that their exposure permits. */
  defaultX = 10;

  constructor(markets: Markets) {
    this.#markets = markets;
  }

  set({ account, market, leverageX }: LeverageSet): void {
    const { maxLeverageX } = this.#markets.of(market).listing.specification;
    if (leverageX > maxLeverageX)
      fail('order', `account ${account} chose a leverage of ${leverageX} in market ${market}, which permits ${maxLeverageX}`);
    this.#chosen.set(`${account}/${market}`, leverageX);
  }

  /** The leverage of an accepted order whose client set `sentX`. */
  of(
    sentX: number,
    { account, market, initialMarginBps }: Pick<OrderAccepted, 'account' | 'market' | 'initialMarginBps'>,
  ): number {
    if (sentX > 0) return sentX;
    const { maxLeverageX } = this.#markets.of(market).listing.specification;
    const x = Math.min(maxLeverageX, this.#chosen.get(`${account}/${market}`) || this.defaultX);
    return x * initialMarginBps > 10_000 ? 0 : x;
  }
}
