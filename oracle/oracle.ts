/**
 * A second implementation of the rules of trading. It shares no code with the engine, knows only the commands, and predicts all that
 * follows. Each command runs on a copy of the world; a refusal discards the copy.
 */
import * as accounts from './accounts.ts';
import { amendOrder } from './amendment.ts';
import { cancelForOwner, endDueOrders } from './cancellation.ts';
import type { Command, SequencedCommand } from './command.ts';
import { adjustMargin } from './margin-adjustment.ts';
import { updateMarket } from './market-update.ts';
import { listMarket, setMarketStatus } from './markets.ts';
import { placeOrder } from './placement.ts';
import { advanceMarket, publishIndexPrice } from './prices.ts';
import { Refused, refuseIf } from './refused.ts';
import { setTimer } from './timers.ts';
import { accountOf, emptyWorld, type Fact, note, type World } from './world.ts';

const MAX_BATCH_ENTRIES = 32;

type Rule<It extends Command> = (world: World, command: It) => void;

const RULES: { readonly [Type in Command['type']]: Rule<Extract<Command, { readonly type: Type }>> } = {
  ListMarket: (world, it) => listMarket(world, it.specification, it.status),
  UpdateMarket: (world, it) => updateMarket(world, it.market, it.specification),
  SetMarketStatus: (world, it) => setMarketStatus(world, it.market, it.status),
  PublishIndexPrice: (world, it) => publishIndexPrice(world, it.market, BigInt(it.priceAtoms), BigInt(it.observedAtEpochMs)),
  AdvanceMarket: (world, it) => advanceMarket(world, it.market),
  OpenAccount: (world, it) => accounts.openAccount(world, it.label, it.partyId),
  CreditCash: (world, it) => accounts.creditCash(world, it.account, BigInt(it.amountAtoms)),
  CreditInsurance: (world, it) => accounts.creditInsurance(world, BigInt(it.amountAtoms)),
  TransferCash: (world, it) => accounts.transferCash(world, it.account, it.to, BigInt(it.amountAtoms), it.reference),
  DebitCash: (world, it) => accounts.debitCash(world, it.account, BigInt(it.amountAtoms), it.reference),
  ReserveWithdrawal: (world, it) => accounts.reserveWithdrawal(world, it.account, BigInt(it.amountAtoms), it.destination),
  ReleaseWithdrawal: (world, it) => accounts.releaseWithdrawal(world, it.withdrawal),
  SettleWithdrawal: (world, it) => accounts.settleWithdrawal(world, it.withdrawal),
  PlaceOrder: placeOrder,
  SetLeverage: (world, it) => accounts.setLeverage(world, it.account, it.market, it.leverageHundredths),
  AdjustPositionMargin: (world, it) => adjustMargin(world, it.account, it.market, it.direction, BigInt(it.amountAtoms)),
  AmendOrder: (world, it) => amendOrder(world, it.account, it),
  AmendOrders: (world, { account, entries }) =>
    forEachEntry(world, account, entries, (copy, entry) => amendOrder(copy, account, entry)),
  EndDueOrders: endDueOrders,
  SetCancelAllAfter: (world, it) => setTimer(world, it.account, it.market, it.timeoutMs),
  CancelOrder: (world, it) => cancelForOwner(world, it.account, it.order),
  PlaceOrders: (world, { account, entries, idempotencyKey }) =>
    forEachEntry(world, account, entries, (copy, entry) =>
      placeOrder(copy, { type: 'PlaceOrder', account, idempotencyKey, ...entry }),
    ),
  CancelOrders: (world, { account, orders }) =>
    forEachEntry(world, account, orders, (copy, order) => cancelForOwner(copy, account, order)),
};

export class Oracle {
  world: World = emptyWorld();

  /** Carries out a command, and returns what happens. */
  run({ epochMs, command }: SequencedCommand): readonly Fact[] {
    const world = { ...this.world, now: BigInt(epochMs), facts: [], postings: {} };
    this.world = attempted(
      world,
      (copy) => ruleOf(command)(copy, command),
      ({ code, order, bound }) => {
        note(world, { type: 'CommandRefused', code, order, bound });
      },
    );
    return this.world.facts;
  }
}

function ruleOf(command: Command): Rule<Command> {
  return RULES[command.type] as Rule<Command>;
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
