/**
 * A data directory whose venue settles funding of one market every two seconds instead of every hour. The market is listed before
 * the devnet lists it, and keeps its specification.
 */
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { openLedger } from '#host/ledger.ts';
import { systemTime } from '#time/system-time.ts';
import { quoteAtoms } from '#units/money.ts';
import { SEGMENT_BYTES } from './test-venue.ts';

export const QUICKLY_FUNDED = 'SOL-USD-PERP';

/** The program that lists the first market also funds the insurance fund. */
const INSURANCE = quoteAtoms(1_000_000_000_000);

export async function prepareQuickFunding(dataDirectory: string): Promise<void> {
  const specification = DEVNET_MARKETS.map((market) => market.specification).find(({ marketId }) => marketId === QUICKLY_FUNDED);
  if (specification === undefined) throw new Error(`the devnet has no ${QUICKLY_FUNDED}`);
  await using resources = new AsyncDisposableStack();
  const onHalt = (halt: unknown) => {
    throw new Error('the ledger halted', { cause: halt });
  };
  const options = { ...systemTime, dataDirectory, onHalt, log: () => undefined, segmentBytes: SEGMENT_BYTES };
  const { submit } = await openLedger(options, resources);
  await submit({ command: { type: 'CreditInsurance', amountAtoms: INSURANCE, reference: 'devnet' } });
  const quick = { ...specification, fundingPeriodMs: 2_000, premiumSampleMs: 500 };
  await submit({ command: { type: 'ListMarket', specification: quick, status: 'open' } });
}
