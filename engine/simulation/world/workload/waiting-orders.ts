/** What senders of a test world let orders wait for: exits of a position, entries, and legs of an entry order. */
import { RandomSource } from '#simulation/world/random-source.ts';
import { type Bps, baseAtoms, priceAtoms } from '#units/money.ts';
import type { AttachedLegs, BatchEntry, Side, TriggerTerms } from '#venue/command.ts';
import { TRIGGER_DIRECTIONS, TRIGGER_KINDS, TRIGGER_SOURCES } from '#venue/command.ts';
import type { SeenMarket } from './public-view.ts';
import type { Sender } from './sender.ts';

/** The client order id of each sender's last waiting order: the next one may be linked with it. */
const lastWaiting = new WeakMap<Sender, string>();

type Conditional = Pick<BatchEntry, 'side' | 'terms' | 'reduceOnly' | 'leverageHundredths' | 'trigger' | 'attached'>;

/** Changes an order into one that waits or has legs, sometimes. `position` is the sender's own in the market. */
export function conditional(
  sender: Sender,
  nowEpochMs: number,
  market: SeenMarket,
  position: number,
  name: string,
  entry: Conditional,
): Conditional {
  const { tradingStyle } = sender;
  // A source of its own: conditions do not shift what else the sender draws.
  const random = new RandomSource(seedOf(`${name} ${nowEpochMs}`));
  if (tradingStyle === 'stranger') return random.chance(0.3) ? anything(entry, random) : entry;
  if (tradingStyle !== 'gambler' && tradingStyle !== 'taker') return entry;
  if (position !== 0 && random.chance(0.15)) return exit(sender, random, market, position, name, entry);
  if (random.chance(0.12)) return { ...entry, ...legs(market, entry.side, random) };
  return random.chance(0.08) ? waitingEntry(market, entry, random) : entry;
}

function exit(
  sender: Sender,
  random: RandomSource,
  market: SeenMarket,
  position: number,
  name: string,
  entry: Conditional,
): Conditional {
  const side = position > 0 ? 'sell' : 'buy';
  const kind = random.pick(['stop_loss', 'stop_loss', 'take_profit', 'trailing_stop'] as const);
  const closePosition = random.chance(0.3);
  const isTrailing = kind === 'trailing_stop';
  const isShare = random.chance(0.5);
  const away = (kind === 'take_profit') === (side === 'sell') ? 1 : -1;
  const price = near(market, 1 + away * random.fraction() * 0.012);
  const size = Math.max(1, Math.floor(Math.abs(position) * (0.3 + random.fraction())));
  const linked = random.chance(0.4) ? (lastWaiting.get(sender) ?? '') : '';
  lastWaiting.set(sender, name);
  return {
    ...entry,
    side,
    reduceOnly: true,
    terms:
      closePosition || random.chance(0.6)
        ? { kind: 'market', quantityAtoms: baseAtoms(closePosition ? 0 : size) }
        : {
            kind: 'limit',
            priceAtoms: near(market, 1 + away * random.fraction() * 0.012),
            quantityAtoms: baseAtoms(size),
            postOnly: false,
          },
    trigger: {
      kind,
      source: isTrailing ? random.pick(['mark', 'index']) : random.pick(TRIGGER_SOURCES),
      direction: 'derived',
      priceAtoms: isTrailing ? priceAtoms(0) : price,
      trailingAtoms: isTrailing && !isShare ? near(market, 0.001 + random.fraction() * 0.01) : priceAtoms(0),
      trailingBps: (isTrailing && isShare ? random.between(1, 120) : 0) as Bps,
      closePosition,
      linkedClientOrderId: linked,
    },
  };
}

function waitingEntry(market: SeenMarket, entry: Conditional, random: RandomSource): Conditional {
  if (entry.terms.kind !== 'market' && entry.terms.kind !== 'limit') return entry;
  const trigger: TriggerTerms = {
    kind: 'trigger',
    source: random.pick(TRIGGER_SOURCES),
    direction: random.chance(0.7) ? 'derived' : random.pick(TRIGGER_DIRECTIONS),
    priceAtoms: near(market, 0.994 + random.fraction() * 0.012),
    trailingAtoms: priceAtoms(0),
    trailingBps: 0 as Bps,
    closePosition: false,
    linkedClientOrderId: '',
  };
  return { ...entry, reduceOnly: false, trigger };
}

function legs(market: SeenMarket, side: Side, random: RandomSource): { attached: AttachedLegs } {
  const sign = side === 'buy' ? 1 : -1;
  const leg = (direction: number) => ({
    source: random.pick(TRIGGER_SOURCES),
    triggerPriceAtoms: near(market, 1 + sign * direction * random.fraction() * 0.015),
    priceAtoms: random.chance(0.6) ? priceAtoms(0) : near(market, 1 + sign * direction * random.fraction() * 0.015),
  });
  const [stopLoss, takeProfit] = [leg(-1), leg(1)];
  return { attached: random.pick([{ stopLoss }, { takeProfit }, { stopLoss, takeProfit }, { stopLoss, takeProfit }]) };
}

function anything(entry: Conditional, random: RandomSource): Conditional {
  const amount = () => Math.floor(10 ** (random.fraction() * 8)) * (random.chance(0.3) ? 0 : 1);
  if (random.chance(0.2)) return { ...entry, attached: {} };
  return {
    ...entry,
    trigger: {
      kind: random.pick(TRIGGER_KINDS),
      source: random.pick(TRIGGER_SOURCES),
      direction: random.pick(['derived', ...TRIGGER_DIRECTIONS] as const),
      priceAtoms: priceAtoms(amount()),
      trailingAtoms: priceAtoms(random.chance(0.5) ? 0 : amount()),
      trailingBps: (random.chance(0.5) ? 0 : amount()) as Bps,
      closePosition: random.chance(0.2),
      linkedClientOrderId: random.chance(0.5) ? '' : 'unknown',
    },
  };
}

function seedOf(text: string): number {
  let seed = 7;
  for (const character of text) seed = (Math.imul(seed, 31) + character.charCodeAt(0)) >>> 0;
  return seed;
}

function near(market: SeenMarket, factor: number): ReturnType<typeof priceAtoms> {
  return priceAtoms(Math.max(1, Math.round(market.indexPrice * factor)));
}
