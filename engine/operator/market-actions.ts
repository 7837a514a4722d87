/** How the operator lists, creates and updates markets: from defaults or the current specification, within the listing rules. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { CommandRefused } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { type ActionOf, OperatorRefusal } from './action.ts';
import { changedBy } from './specification-changes.ts';

/** The markets of the venue, and the rules of their specifications. */
export interface OperatedMarkets {
  /** By number. */
  readonly all: () => readonly { readonly market: MarketOrdinal; readonly specification: MarketSpecification }[];
  /** The default terms for a price; `undefined` if they fit no such price. */
  readonly defaultOf: (marketId: string, price: number) => MarketSpecification | undefined;
  /** Describes the first listing rule that a specification breaks. */
  readonly faultOf: (specification: MarketSpecification) => string | undefined;
  /** The first field that a listing fixes and in which both differ. */
  readonly changedFixedField: (before: MarketSpecification, after: MarketSpecification) => string | undefined;
  /** Starts the index of a new market, if the venue has a source for it. Returns the source for people. */
  readonly startIndex: (marketId: string, price: number) => string;
}

/** Submits a command; rejects with the explanation of a refusal. */
export type Submitted = (command: Command, explain?: (refused: CommandRefused) => string | undefined) => Promise<unknown>;

export async function createMarket(
  markets: OperatedMarkets,
  { marketId, price: text, changes }: ActionOf<'market.create'>,
  submit: Submitted,
): Promise<object> {
  const price = Number(text);
  const defaults = markets.defaultOf(marketId, price);
  if (defaults === undefined)
    throw invalid(
      `there are no default terms for a price of ${text}: give a price of a larger or smaller unit, as in 1000PEPE-USD-PERP`,
    );
  const specification = changedBy(defaults, changes);
  refuseFaulty(markets, specification);
  await submit({ type: 'ListMarket', specification, status: 'open' });
  return { ...specification, status: 'open', index: markets.startIndex(marketId, price) };
}

export async function updateMarket(
  markets: OperatedMarkets,
  { marketId, changes }: ActionOf<'market.update'>,
  submit: Submitted,
): Promise<object> {
  const listed = markets.all().find(({ specification }) => specification.marketId === marketId);
  if (listed === undefined) throw new OperatorRefusal('market_not_found', `there is no market ${marketId}: see market list`);
  const specification = changedBy(listed.specification, changes);
  const fixed = markets.changedFixedField(listed.specification, specification);
  if (fixed !== undefined) throw invalid(`${fixed} is fixed by the listing: list another market instead`);
  refuseFaulty(markets, specification);
  const explain = ({ code, bound }: CommandRefused) => (code === 'market_busy' ? busyWith(marketId, bound) : undefined);
  await submit({ type: 'UpdateMarket', market: listed.market, specification }, explain);
  return { ...specification };
}

export function listMarkets(markets: OperatedMarkets): object {
  return {
    markets: markets.all().map(({ specification }) => {
      const { marketId, initialMarginBps, maxLeverageX, makerFeeBps, takerFeeBps, markBandBps, maintenanceMarginTiers } =
        specification;
      const maintenanceMarginBps = maintenanceMarginTiers.map((tier) => tier.maintenanceMarginBps);
      const listingRules = markets.faultOf(specification) ?? 'kept';
      return {
        marketId,
        maxLeverageX,
        initialMarginBps,
        maintenanceMarginBps,
        makerFeeBps,
        takerFeeBps,
        markBandBps,
        listingRules,
      };
    }),
  };
}

/** Explains why open positions or orders prevent an update. */
export function busyWith(marketId: string, positions: number): string {
  if (positions === 0)
    return (
      `orders in ${marketId} have reserved the taker fee, so it cannot change: set the market to cancel_only, ` +
      'wait until its orders are cancelled, and repeat the command'
    );
  return (
    `${positions} ${positions === 1 ? 'position' : 'positions'} in ${marketId} would fall below maintenance, and nothing was changed: ` +
    'choose lower maintenance rates, or repeat the command when they are closed or have more margin'
  );
}

function refuseFaulty(markets: OperatedMarkets, specification: MarketSpecification): void {
  const fault = markets.faultOf(specification);
  if (fault !== undefined) throw invalid(`${fault}: correct it with --set <field>=<value> or in the file`);
}

function invalid(message: string): OperatorRefusal {
  return new OperatorRefusal('market_invalid', message);
}
