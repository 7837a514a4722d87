/** What the venue's documents say of leverage: the one that an account chose in a market applies to its orders that set none. */
import type { LeverageSet, OrderAccepted } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Markets } from './markets.ts';
import { permitsLeverage } from './order-rules.ts';

export class Leverages {
  readonly #markets: Markets;
  readonly #chosen = new Map<string, number>();
  /** 0, in scenarios: orders without a leverage use the highest one that their exposure permits. */
  defaultHundredths = 1_000;

  constructor(markets: Markets) {
    this.#markets = markets;
  }

  set({ account, market, leverageHundredths }: LeverageSet): void {
    const { maxLeverageX } = this.#markets.of(market).listing.specification;
    if (leverageHundredths > maxLeverageX * 100)
      fail(
        'order',
        `account ${account} chose a leverage of ${leverageHundredths / 100} in market ${market}, which permits ${maxLeverageX}`,
      );
    this.#chosen.set(`${account}/${market}`, leverageHundredths);
  }

  /** The leverage of an accepted order whose client set `sent`. */
  of(
    sent: number,
    { account, market, initialMarginBps }: Pick<OrderAccepted, 'account' | 'market' | 'initialMarginBps'>,
  ): number {
    if (sent > 0) return sent;
    const { maxLeverageX } = this.#markets.of(market).listing.specification;
    const leverage = Math.min(maxLeverageX * 100, this.#chosen.get(`${account}/${market}`) || this.defaultHundredths);
    return permitsLeverage(initialMarginBps, leverage) ? leverage : 0;
  }
}
