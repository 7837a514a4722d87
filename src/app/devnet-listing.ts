/** Lists the missing markets at a start, and brings built-in ones of earlier rules to the listing rules. */
import { DEVNET_MARKETS, type DevnetMarket } from '#devnet/markets.ts';
import { busyWith } from '#operator/market-actions.ts';
import type { PricedMarket } from '#prices/market-feed.ts';
import type { Directory } from '#reads/reads.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Environment } from '#venue/command.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import { listingFault } from '#venue/market/listing-rules.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { changedFixedField } from '#venue/market/update.ts';
import type { Submit } from '#writer/port/submit.ts';
import { hasTestFunds } from './environment.ts';

/** The initial insurance fund of a new devnet: 1,000,000 USD.E. */
const INSURANCE = quoteAtoms(1_000_000_000_000);

export interface ListingParts {
  readonly environment: Environment;
  readonly submit: Submit;
  readonly directory: Directory;
  readonly reads: RenderedReads;
  readonly historyOf: (market: DevnetMarket) => MarketHistory | undefined;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
}

/**
 * Returns all markets by id, also those that the operator listed. A market that is already listed keeps its history, and its specification
 * while that is within the listing rules. Where there are test funds, a new venue gets an insurance fund.
 */
export async function listMarkets(wanted: readonly DevnetMarket[], parts: ListingParts): Promise<Map<string, PricedMarket>> {
  const { environment, submit, directory, reads, historyOf } = parts;
  const isNew = DEVNET_MARKETS.every(({ specification }) => directory.listedMarket(specification.marketId) === undefined);
  // A first start that was killed in between has already credited it.
  if (hasTestFunds(environment) && isNew && parseRendered(await reads.ledgers()).insurance === '0')
    await submit({ command: { type: 'CreditInsurance', amountAtoms: INSURANCE, reference: 'devnet' } });
  for (const market of wanted) {
    const { specification } = market;
    const { marketId } = specification;
    const listed = directory.listedMarket(marketId);
    if (listed === undefined) {
      const history = historyOf(market);
      await submit({ command: { type: 'ListMarket', specification, status: 'open', ...(history && { history }) } });
      if (directory.listedMarket(marketId) === undefined) throw new Error(`the venue did not list ${marketId}`);
    } else if (listingFault(listed.specification) !== undefined) {
      await bringToRules(listed.market, listed.specification, specification, parts);
    }
  }
  return new Map(
    directory
      .listedMarkets()
      .map(({ market, specification: { marketId, priceScale } }) => [marketId, { market, priceScale }] as const),
  );
}

/** A journaled update. If positions or orders prevent it, the market continues with its old specification. */
async function bringToRules(
  market: MarketOrdinal,
  before: MarketSpecification,
  after: MarketSpecification,
  { submit, log }: ListingParts,
): Promise<void> {
  const { marketId } = before;
  const fixed = changedFixedField(before, after);
  if (fixed !== undefined) {
    log(
      `markets: ${marketId} breaks the listing rules (${listingFault(before)}) and differs in ${fixed}: correct it by market update`,
    );
    return;
  }
  const { events } = await submit({ command: { type: 'UpdateMarket', market, specification: after } });
  const refused = events.find((event) => event.type === 'CommandRefused');
  if (refused === undefined) log(`markets: ${marketId} has a new specification, within the listing rules: see market list`);
  else log(`markets: ${marketId} keeps its specification (${refused.code}): ${busyWith(marketId, refused.bound)}`);
}
