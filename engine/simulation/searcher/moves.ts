/**
 * What colluders can do: single commands, and pieces of attacks that are known. A new kind of order is one entry here, or in
 * `attack-moves.ts`; everything else (mutation, text, shrinking) follows from its arguments.
 */
import type { Bps, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { TRIGGER_SOURCES } from '#venue/trigger/trigger-terms.ts';
import { argument, BY, colluder, colluderAfter, LEVERAGE, PARTY, range, SHARE, SIDE, THOUSAND_USD } from './argument.ts';
import { ATTACK_MOVES } from './attack-moves.ts';
import type { Move } from './move.ts';
import type { LimitForm, Table } from './table.ts';

/** What a price is relative to. */
const ANCHORS = [
  (table: Table) => table.index,
  (table: Table) => table.market.markPriceAtoms as number,
  (table: Table, party: number) => table.bankruptcyPrice(party),
  (table: Table, party: number) => table.liquidationPrice(party),
  (table: Table) => table.best('buy'),
  (table: Table) => table.best('sell'),
];

const COMMANDS = {
  wait: {
    arguments: [argument('seconds', [1, 1, 2, 3, 5, 8, 13, 20, 40])],
    weight: 6,
    play: (table, [seconds]) => table.wait(seconds!),
  },
  order: limitMove(3),
  ioc: limitMove(1, 'IOC'),
  fok: limitMove(1, 'FOK'),
  post: limitMove(1, 'post-only'),
  /** An entry at a distance from the index, with a stop-loss and a take-profit at the market. */
  legs: {
    arguments: [
      colluder('account'),
      SIDE,
      range('bps', -60, 60, 1),
      THOUSAND_USD,
      LEVERAGE,
      range('source', 0, 2, 1),
      range('stop', 1, 100, 3),
      range('profit', 1, 100, 3),
    ],
    weight: 1,
    play: (table, [account, side, offset, size, leverageX, source, stop, profit]) => {
      const price = priceAt(table.index, offset!);
      const sign = side === 0 ? 1 : -1;
      const leg = (bps: number) => ({
        source: TRIGGER_SOURCES[source!]!,
        triggerPriceAtoms: Math.round(priceAt(price, bps)) as PriceAtoms,
        priceAtoms: 0 as PriceAtoms,
      });
      const attached = { stopLoss: leg(-sign * stop!), takeProfit: leg(sign * profit!) };
      table.limit(account!, sideOf(side!), price, table.lotsOf(size! * 1_000), { leverageX: leverageX!, attached });
    },
  },
  leverage: {
    arguments: [colluder('account'), LEVERAGE],
    weight: 1,
    play: (table, [account, leverageX]) => table.setLeverage(account!, leverageX!),
  },
  exit: {
    arguments: [colluder('account'), range('anchor', 0, ANCHORS.length - 1, 1), PARTY, range('bps', -150, 150, 1), SHARE],
    weight: 1,
    play: (table, [account, anchor, party, offset, share]) => {
      const base = table.position(account!).signedBaseAtoms;
      const lots = Math.max(1, Math.floor((Math.abs(base) * share!) / 100));
      const price = priceAt(ANCHORS[anchor!]!(table, party!), offset!);
      table.limit(account!, base > 0 ? 'sell' : 'buy', price, lots, { reduceOnly: true });
    },
  },
  take: {
    arguments: [colluder('account'), SIDE, THOUSAND_USD, LEVERAGE],
    weight: 2,
    play: (table, [account, side, size, leverageX]) => {
      table.take(account!, sideOf(side!), table.lotsOf(size! * 1_000), { leverageX: leverageX! });
    },
  },
  close: {
    arguments: [colluder('account')],
    weight: 2,
    play: (table, [account]) => table.shut(account!),
  },
  cancel: {
    arguments: [colluder('account')],
    weight: 2,
    play: (table, [account]) => table.cancelAll(account!),
  },
  transfer: {
    arguments: [colluder('from'), BY, THOUSAND_USD],
    weight: 1,
    play: (table, [from, by, size]) => table.transfer(from!, colluderAfter(from!, by!), size! * 1_000),
  },
  /** Adds margin to a position, or takes it out. */
  margin: {
    arguments: [colluder('account'), argument('adds', [0, 1]), THOUSAND_USD],
    weight: 1,
    play: (table, [account, adds, size]) => table.adjustMargin(account!, adds === 1 ? 'add' : 'remove', size! * 1_000),
  },
  /** Changes price and quantity of the newest order. */
  amend: {
    arguments: [colluder('account'), range('anchor', 0, ANCHORS.length - 1, 1), PARTY, range('bps', -150, 150, 1), THOUSAND_USD],
    weight: 1,
    play: (table, [account, anchor, party, offset, size]) => {
      const price = priceAt(ANCHORS[anchor!]!(table, party!), offset!);
      table.amend(account!, price, table.lotsOf(size! * 1_000));
    },
  },
  /** An order at the market that waits for a price of mark, index or last trade. */
  stop: {
    arguments: [colluder('account'), SIDE, range('source', 0, 2, 1), range('bps', -150, 150, 1), THOUSAND_USD],
    weight: 1,
    play: (table, [account, side, source, offset, size]) => {
      const trigger = {
        kind: 'trigger',
        source: TRIGGER_SOURCES[source!]!,
        direction: 'derived',
        priceAtoms: Math.round(priceAt(table.index, offset!)) as PriceAtoms,
        trailingAtoms: 0 as PriceAtoms,
        trailingBps: 0 as Bps,
        closePosition: false,
        linkedClientOrderId: '',
      } as const;
      table.take(account!, sideOf(side!), table.lotsOf(size! * 1_000), { trigger });
    },
  },
} satisfies Record<string, Move>;

export type MoveName = keyof typeof COMMANDS | keyof typeof ATTACK_MOVES;

export const MOVES: Readonly<Record<MoveName, Move>> = { ...COMMANDS, ...ATTACK_MOVES };

export const MOVE_NAMES = Object.keys(MOVES) as readonly MoveName[];

/** A limit order at a distance from an anchor. */
function limitMove(weight: number, form?: LimitForm): Move {
  return {
    arguments: [
      colluder('account'),
      SIDE,
      range('anchor', 0, ANCHORS.length - 1, 1),
      PARTY,
      range('bps', -150, 150, 1),
      THOUSAND_USD,
      LEVERAGE,
    ],
    weight,
    play: (table, [account, side, anchor, party, offset, size, leverageX]) => {
      const price = priceAt(ANCHORS[anchor!]!(table, party!), offset!);
      const options = { leverageX: leverageX!, ...(form === undefined ? {} : { form }) };
      table.limit(account!, sideOf(side!), price, table.lotsOf(size! * 1_000), options);
    },
  };
}

function sideOf(value: number): Side {
  return value === 0 ? 'buy' : 'sell';
}

function priceAt(anchor: number, offsetBps: number): number {
  return anchor * (1 + offsetBps / 10_000);
}
