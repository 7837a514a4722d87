/**
 * A second implementation of the rules of trading. It shares no code with the engine, knows only the commands, and predicts all that
 * follows. Each command runs on a copy of the world; a refusal discards the copy.
 */
import * as accounts from './accounts.ts';
import { cancelForOwner } from './cancellation.ts';
import type { Command, SequencedCommand } from './command.ts';
import { listMarket, setMarketStatus } from './markets.ts';
import { placeOrder } from './placement.ts';
import { advanceMarket, publishIndexPrice } from './prices.ts';
import { Refused, refuseIf } from './refused.ts';
import { accountOf, emptyWorld, type Fact, note, type World } from './world.ts';

const MAX_BATCH_ENTRIES = 32;

export class Oracle {
  world: World = emptyWorld();

  /** Carries out a command, and returns what happens. */
  run({ epochMs, command }: SequencedCommand): readonly Fact[] {
    const world = { ...this.world, now: BigInt(epochMs), facts: [], postings: {} };
    this.world = attempted(
      world,
      (copy) => carryOut(copy, command),
      ({ code, order, bound }) => {
        note(world, { type: 'CommandRefused', code, order, bound });
      },
    );
    return this.world.facts;
  }
}

/** The world after an action, or the unchanged world if the action is refused. */
function attempted(world: World, action: (copy: World) => void, onRefusal: (refusal: Refused) => void): World {
  const copy = structuredClone(world);
  try {
    action(copy);
    return copy;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    onRefusal(error);
    return world;
  }
}

function carryOut(world: World, command: Command): void {
  switch (command.type) {
    case 'ListMarket':
      return listMarket(world, command.specification, command.status);
    case 'SetMarketStatus':
      return setMarketStatus(world, command.market, command.status);
    case 'PublishIndexPrice':
      return publishIndexPrice(world, command.market, BigInt(command.priceAtoms), BigInt(command.observedAtEpochMs));
    case 'AdvanceMarket':
      return advanceMarket(world, command.market);
    case 'OpenAccount':
      return accounts.openAccount(world, command.label, command.partyId);
    case 'CreditCash':
      return accounts.creditCash(world, command.account, BigInt(command.amountAtoms));
    case 'CreditInsurance':
      return accounts.creditInsurance(world, BigInt(command.amountAtoms));
    case 'TransferCash':
      return accounts.transferCash(world, command.account, command.to, BigInt(command.amountAtoms), command.reference);
    case 'DebitCash':
      return accounts.debitCash(world, command.account, BigInt(command.amountAtoms), command.reference);
    case 'ReserveWithdrawal':
      return accounts.reserveWithdrawal(world, command.account, BigInt(command.amountAtoms), command.destination);
    case 'ReleaseWithdrawal':
      return accounts.releaseWithdrawal(world, command.withdrawal);
    case 'SettleWithdrawal':
      return accounts.settleWithdrawal(world, command.withdrawal);
    case 'PlaceOrder':
      return placeOrder(world, command);
    case 'CancelOrder':
      return cancelForOwner(world, command.account, command.order);
    case 'PlaceOrders': {
      const { account, entries, idempotencyKey } = command;
      return forEachEntry(world, account, entries, (copy, entry) =>
        placeOrder(copy, { type: 'PlaceOrder', account, idempotencyKey, ...entry }),
      );
    }
    case 'CancelOrders':
      return forEachEntry(world, command.account, command.orders, (copy, order) => cancelForOwner(copy, command.account, order));
  }
}

/** Carries out each entry as if sent alone. A refused one changes nothing and does not undo the others. */
function forEachEntry<Entry>(
  world: World,
  account: number,
  entries: readonly Entry[],
  action: (copy: World, entry: Entry) => void,
): void {
  refuseIf(accountOf(world, account) === undefined, 'account_not_found');
  refuseIf(entries.length < 1 || entries.length > MAX_BATCH_ENTRIES, 'batch_size_invalid', BigInt(MAX_BATCH_ENTRIES));
  for (const [index, entry] of entries.entries()) {
    const after = attempted(
      world,
      (copy) => action(copy, entry),
      ({ code, order, bound }) => {
        note(world, { type: 'EntryRefused', index, code, order, bound });
      },
    );
    Object.assign(world, after);
  }
}
