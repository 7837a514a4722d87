/** Position episodes: each change opens, enlarges, reduces or closes one. A flip is two changes of two episodes. */
import type { BaseAtoms } from '#units/money.ts';
import { minus, plus, widePlus, ZERO_BASE, ZERO_QUOTE, ZERO_WIDE } from '#units/money.ts';
import type { FundingPaid, FundMoved, PositionCause, PositionChanged, PositionMarginAdjusted } from '#venue/event.ts';
import type { CloseReason, EpisodeRow, FundingPaymentRow, Moment } from './rows.ts';

/** The contract's close reason for each cause of the closing change. */
const CLOSE_REASONS: Readonly<Record<PositionCause, CloseReason>> = {
  client: 'user_close',
  liquidation: 'liquidation',
  auto_deleveraging: 'auto_deleveraging',
};

/** `before` is `undefined` for the change that opens the episode. */
export function changedEpisode(before: EpisodeRow | undefined, event: PositionChanged, at: Moment): EpisodeRow {
  const episode = before ?? startOf(event, at);
  if (episode.signedBaseAtoms + event.changedBaseAtoms !== event.signedBaseAtoms)
    throw new Error(
      `position ${event.position} had ${episode.signedBaseAtoms}, changed by ${event.changedBaseAtoms} and resulted in ${event.signedBaseAtoms}`,
    );
  const sizeAtoms = Math.abs(event.signedBaseAtoms) as BaseAtoms;
  const changed = Math.abs(event.changedBaseAtoms);
  const hasGrown = sizeAtoms > Math.abs(episode.signedBaseAtoms);
  const isClosed = sizeAtoms === 0;
  return {
    ...episode,
    status: isClosed ? 'closed' : 'open',
    closedAtEpochMs: isClosed ? at.epochMs : null,
    closeReason: isClosed ? CLOSE_REASONS[event.cause] : null,
    signedBaseAtoms: event.signedBaseAtoms,
    entryNotionalAtoms: event.entryNotionalAtoms,
    marginAtoms: event.marginAtoms,
    maxQuantityAtoms: Math.max(sizeAtoms, episode.maxQuantityAtoms) as BaseAtoms,
    openedBaseAtoms: hasGrown ? widePlus(episode.openedBaseAtoms, changed) : episode.openedBaseAtoms,
    openedNotionalAtoms: hasGrown
      ? widePlus(episode.openedNotionalAtoms, event.changedNotionalAtoms)
      : episode.openedNotionalAtoms,
    closedBaseAtoms: hasGrown ? episode.closedBaseAtoms : widePlus(episode.closedBaseAtoms, changed),
    closedNotionalAtoms: hasGrown
      ? episode.closedNotionalAtoms
      : widePlus(episode.closedNotionalAtoms, event.changedNotionalAtoms),
    realizedPnlAtoms: plus(episode.realizedPnlAtoms, event.realizedPnlAtoms),
    feesPaidAtoms: plus(episode.feesPaidAtoms, event.feeAtoms),
    insuredAtoms: isClosed ? ZERO_QUOTE : episode.insuredAtoms,
    insuranceCoveredAtoms: plus(episode.insuranceCoveredAtoms, event.insuranceCoveredAtoms ?? ZERO_QUOTE),
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
  };
}

/**
 * Funding changes the margin of an episode and, if the margin does not suffice, its entry notional; never its quantity. Only the part taken
 * from the margin counts as paid. The part added to the entry shows in the realized PnL later, and must not be counted twice.
 */
export function fundedEpisode(episode: EpisodeRow, event: FundingPaid, at: Moment): EpisodeRow {
  return {
    ...episode,
    marginAtoms: event.marginAtoms,
    entryNotionalAtoms: event.entryNotionalAtoms,
    fundingPaidAtoms: plus(episode.fundingPaidAtoms, minus(episode.marginAtoms, event.marginAtoms)),
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
  };
}

/** What a position owes the insurance fund. A close that ends the episode follows its last payment, and ends the debt. */
export function insuredEpisode(episode: EpisodeRow, { insuredAtoms }: FundMoved, at: Moment): EpisodeRow {
  return { ...episode, insuredAtoms, updatedAtEpochMs: at.epochMs, lastSequence: at.sequence };
}

/** An episode whose owner added or removed margin. What a removal repays to the insurance fund is no longer covered. */
export function adjustedEpisode(episode: EpisodeRow, event: PositionMarginAdjusted, at: Moment): EpisodeRow {
  const { marginAtoms, repaidAtoms } = event;
  const insuranceCoveredAtoms = minus(episode.insuranceCoveredAtoms, repaidAtoms);
  return { ...episode, marginAtoms, insuranceCoveredAtoms, updatedAtEpochMs: at.epochMs, lastSequence: at.sequence };
}

/** `before` is the episode before the payment. */
export function fundingPayment(before: EpisodeRow, event: FundingPaid, at: Moment): FundingPaymentRow {
  const { account, market, period, position, paidAtoms } = event;
  const fromMarginAtoms = minus(before.marginAtoms, event.marginAtoms);
  return { account, market, period, position, paidAtoms, fromMarginAtoms, paidAtEpochMs: at.epochMs, sequence: at.sequence };
}

function startOf(event: PositionChanged, at: Moment): EpisodeRow {
  return {
    position: event.position,
    account: event.account,
    market: event.market,
    side: event.changedBaseAtoms > 0 ? 'long' : 'short',
    openedAtEpochMs: at.epochMs,
    status: 'open',
    closedAtEpochMs: null,
    closeReason: null,
    signedBaseAtoms: ZERO_BASE,
    entryNotionalAtoms: ZERO_QUOTE,
    marginAtoms: ZERO_QUOTE,
    maxQuantityAtoms: ZERO_BASE,
    openedBaseAtoms: ZERO_WIDE,
    openedNotionalAtoms: ZERO_WIDE,
    closedBaseAtoms: ZERO_WIDE,
    closedNotionalAtoms: ZERO_WIDE,
    realizedPnlAtoms: ZERO_QUOTE,
    feesPaidAtoms: ZERO_QUOTE,
    fundingPaidAtoms: ZERO_QUOTE,
    insuranceCoveredAtoms: ZERO_QUOTE,
    insuredAtoms: ZERO_QUOTE,
    updatedAtEpochMs: at.epochMs,
    lastSequence: at.sequence,
  };
}
