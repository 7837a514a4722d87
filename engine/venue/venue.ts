/**
 * The venue: one state, one command at a time. A turn plans first, which only reads and may refuse, and then commits,
 * which cannot. The same commands at the same times make the same events and the same state, to the byte.
 */
import type { OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import {
  commitCredit,
  commitIssue,
  commitOpenAccount,
  commitRetirement,
  commitRevocation,
  planCredit,
  planIssue,
  planRetirement,
  planRevocation,
} from './account/administration.ts';
import type { Command } from './command.ts';
import type { EmitEvent } from './event.ts';
import {
  commitIndexPrice,
  commitListing,
  commitStatus,
  planIndexPrice,
  planListing,
  planStatus,
} from './market/administration.ts';
import { commitCancellation, planCancellation } from './order/cancellation.ts';
import { commitPlacement, PlacementPlan, planPlacement } from './order/placement.ts';
import type { Refusal } from './refusal.ts';
import { readState, writeState } from './snapshot.ts';
import { VenueState } from './state.ts';

/** A command with the place and time that the writer gave it. Time never goes back. */
export interface SequencedCommand {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
}

/** What the rules below are called in the journal: a change of behaviour is a new version. */
export const RULES_VERSION = 1;

export class Venue {
  readonly #state: VenueState;
  readonly #plan = new PlacementPlan();

  constructor(state: VenueState = new VenueState()) {
    this.#state = state;
  }

  /** The venue that a snapshot was taken of. Throws `MalformedRecord` for bytes that are no snapshot. */
  static restore(snapshot: Uint8Array): Venue {
    return new Venue(readState(snapshot));
  }

  /** The whole state as bytes: same state, same bytes. */
  snapshot(): Uint8Array {
    return writeState(this.#state);
  }

  /** For the checkers of the core alone. */
  get state(): VenueState {
    return this.#state;
  }

  /** Takes one command and emits what comes of it: at least one event. Throws only where the venue itself is at fault. */
  turn(sequenced: SequencedCommand, emit: EmitEvent): void {
    const refusal = this.#planned(sequenced);
    if (refusal === undefined) {
      this.#commit(sequenced, emit);
      return;
    }
    emit({ type: 'CommandRefused', code: refusal.code, order: refusal.order ?? (0 as OrderOrdinal), bound: refusal.bound ?? 0 });
  }

  #planned({ command, epochMs }: SequencedCommand): Refusal | undefined {
    const state = this.#state;
    switch (command.type) {
      case 'PlaceOrder':
        return planPlacement(state, command, epochMs, this.#plan);
      case 'CancelOrder':
        return planCancellation(state, command);
      case 'PublishIndexPrice':
        return planIndexPrice(state, command);
      case 'OpenAccount':
        return undefined;
      case 'CreditCash':
        return planCredit(state, command);
      case 'RetireAccount':
        return planRetirement(state, command);
      case 'IssueApiKey':
        return planIssue(state, command);
      case 'RevokeApiKey':
        return planRevocation(state, command);
      case 'ListMarket':
        return planListing(state, command);
      case 'SetMarketStatus':
        return planStatus(state, command);
    }
  }

  #commit({ command, epochMs }: SequencedCommand, emit: EmitEvent): void {
    const state = this.#state;
    switch (command.type) {
      case 'PlaceOrder':
        commitPlacement(state, command, epochMs, this.#plan, emit);
        break;
      case 'CancelOrder':
        commitCancellation(state, command, emit);
        break;
      case 'PublishIndexPrice':
        commitIndexPrice(state, command, emit);
        break;
      case 'OpenAccount':
        commitOpenAccount(state, command, emit);
        break;
      case 'CreditCash':
        commitCredit(state, command, emit);
        break;
      case 'RetireAccount':
        commitRetirement(state, command, emit);
        break;
      case 'IssueApiKey':
        commitIssue(state, command, emit);
        break;
      case 'RevokeApiKey':
        commitRevocation(state, command, emit);
        break;
      case 'ListMarket':
        commitListing(state, command, emit);
        break;
      case 'SetMarketStatus':
        commitStatus(state, command, emit);
        break;
    }
  }
}
