/** What the coordinator brings forward: each item has one pass at a time. */
import type { AccountOrdinal, DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { VenueEvent } from '#venue/event.ts';

export type Item =
  /** The comparison with the ledger, and the review of its new entries. */
  | { readonly kind: 'ledger' }
  | { readonly kind: 'deposit'; readonly deposit: DepositOrdinal }
  | { readonly kind: 'withdrawal'; readonly withdrawal: WithdrawalOrdinal }
  /** The party of an account, with its consent. */
  | { readonly kind: 'party'; readonly account: AccountOrdinal };

export const LEDGER: Item = { kind: 'ledger' };

/** Equal for equal items only. The log names them so. */
export function nameOf(item: Item): string {
  switch (item.kind) {
    case 'ledger':
      return 'ledger';
    case 'deposit':
      return `deposit ${item.deposit}`;
    case 'withdrawal':
      return `withdrawal ${item.withdrawal}`;
    case 'party':
      return `party ${item.account}`;
    default:
      return item satisfies never;
  }
}

/** Items that wait for the same thing. */
export class WaitingItems {
  readonly #items = new Map<string, Item>();

  add(item: Item): void {
    this.#items.set(nameOf(item), item);
  }

  /** Removes and returns all. */
  takeAll(): readonly Item[] {
    const items = [...this.#items.values()];
    this.#items.clear();
    return items;
  }
}

/** The item that an event may have moved. */
export function itemOfEvent(event: VenueEvent): Item | undefined {
  // Transfers that are switched on while the stores differ are halted again.
  if (event.type === 'CapabilitySet') return LEDGER;
  if (event.type === 'PartyChanged' || event.type === 'PartyConsentChanged') return { kind: 'party', account: event.account };
  if ('deposit' in event) return { kind: 'deposit', deposit: event.deposit };
  return 'withdrawal' in event ? { kind: 'withdrawal', withdrawal: event.withdrawal } : undefined;
}
