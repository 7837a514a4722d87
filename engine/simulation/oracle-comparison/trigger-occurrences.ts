/** Counts what orders that wait for a price have decided. */
import type { TriggerKind, TriggerSource } from '#oracle/command.ts';
import type { Fact, WaitingOrder, World } from '#oracle/world.ts';
import { some, type Test, type Turn } from './turn-tests.ts';

const KINDS: readonly TriggerKind[] = ['stop_loss', 'take_profit', 'trigger', 'trailing_stop'];
const SOURCES: readonly TriggerSource[] = ['mark', 'index', 'last'];

/** An order of the facts that matches triggers. */
function triggers(matches: (order: WaitingOrder, fact: Fact, turn: Turn) => boolean): Test {
  return (turn) =>
    turn.facts.some((fact) => {
      const order = fact.type === 'OrderTriggered' ? waitingIn(turn.before, fact) : undefined;
      return order !== undefined && matches(order, fact, turn);
    });
}

function waitingIn({ waiting }: World, fact: Fact): WaitingOrder | undefined {
  return waiting.find(({ order }) => order === fact.order);
}

/** The orders that trigger in a turn, in that order. */
function triggeredIn({ before, facts }: Turn): WaitingOrder[] {
  return facts.filter(({ type }) => type === 'OrderTriggered').flatMap((fact) => waitingIn(before, fact) ?? []);
}

/** Two orders that trigger one after the other match. */
function pair(matches: (one: WaitingOrder, other: WaitingOrder) => boolean): Test {
  return (turn) => {
    const triggered = triggeredIn(turn);
    return triggered.some((one, index) => index + 1 < triggered.length && matches(one, triggered[index + 1]!));
  };
}

const isLeg = ({ kind, quantity, position, closePosition, entry }: WaitingOrder) =>
  entry > 0 && kind !== 'trigger' && !closePosition && quantity > 0n && position > 0;

export const TRIGGER_RULES: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(KINDS.map((kind) => [`a trigger: ${kind}`, triggers((it) => it.kind === kind)])),
  ...Object.fromEntries(SOURCES.map((source) => [`a trigger by the price: ${source}`, triggers((it) => it.source === source)])),
  'a limit order that triggers': triggers(({ price }) => price > 0n),
  'an order that closes its position': triggers(({ closePosition }) => closePosition),
  'an order that opens when it triggers': triggers(({ reduceOnly }) => !reduceOnly),
  'a trailing stop that follows its price': ({ before, after }) =>
    before.waiting.some(({ order, best }) => after.waiting.some((it) => it.order === order && it.best !== best)),
  'orders of two levels that trigger in one turn': pair((one, other) => one.triggerPrice !== other.triggerPrice),
  'orders of one level that trigger by age': pair(
    (one, other) => one.triggerPrice === other.triggerPrice && one.source === other.source,
  ),
  'a turn that triggers falling and rising orders': pair((one, other) => one.direction !== other.direction),
  'a due order that a trade made': ({ before, after, facts }) =>
    facts.some(({ type }) => type === 'OrderAccepted') && dueIn(after) > dueIn(before),
  'a due order that waits for a later turn': ({ before, after }) => dueIn(before) > 0 && dueIn(after) > 0,
  'a triggered order that rests': ({ facts }) =>
    facts.some(
      (it, index) =>
        it.type === 'OrderTriggered' && facts.slice(index).some((at) => at.type === 'OrderRested' && at.order === it.order),
    ),
  'a leg that waits': some('LegChanged', (it) => it.quantityAtoms !== 0n),
  'a leg whose entry fills again': ({ before, facts }) =>
    facts.some((it) => it.type === 'LegChanged' && (waitingIn(before, it)?.quantity ?? 0n) > 0n && it.quantityAtoms !== 0n),
  'a leg that waits for its entry again': some('LegChanged', (it) => it.quantityAtoms === 0n),
  'a leg that triggers while its entry is open': triggers(isLeg),
  'a leg that ends because the other triggers': ({ before, facts }) =>
    facts.some(
      (it) => it.type === 'OrderCancelled' && it.reason === 'linked_order' && waitingIn(before, it)?.kind === 'take_profit',
    ),
  'a waiting order that its owner cancels': ({ before, facts }) =>
    facts.some((it) => it.type === 'OrderCancelled' && it.reason === 'user' && waitingIn(before, it) !== undefined),
  'a waiting order that a timer cancels': ({ before, facts }) =>
    facts.some((it) => it.type === 'OrderCancelled' && it.reason === 'cancel_all_after' && waitingIn(before, it) !== undefined),
  ...Object.fromEntries(
    ['margin_unbacked', 'price_band', 'trigger_refused'].map((reason) => [
      `a due order that ends: ${reason}`,
      ({ before, facts }: Turn) =>
        facts.some(
          (it, index) =>
            it.type === 'OrderCancelled' &&
            it.reason === reason &&
            waitingIn(before, it) !== undefined &&
            !facts.slice(0, index).some((at) => at.type === 'OrderTriggered' && at.order === it.order),
        ),
    ]),
  ),
};

function dueIn({ waiting }: World): number {
  return waiting.filter(({ dueSince }) => dueSince > 0).length;
}
