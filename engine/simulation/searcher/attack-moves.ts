/** Pieces of known attacks, each a few commands at one moment. The searcher combines them; none takes anything by itself. */
import type { Side } from '#venue/command.ts';
import {
  argument,
  BY,
  colluder,
  colluderAfter,
  LARGE_THOUSAND_USD,
  LEVERAGE,
  PARTY,
  range,
  SHARE,
  SIDE,
  THOUSAND_USD,
} from './argument.ts';
import { SEARCHED_MARKET, USD } from './market.ts';
import type { Move } from './move.ts';
import type { Table } from './table.ts';

const MIN_LOTS = SEARCHED_MARKET.minQuantityAtoms;

export const ATTACK_MOVES = {
  /** A pair: one account is long, another short, at the index or away from it. */
  pair: {
    arguments: [
      colluder('long'),
      BY,
      argument('bps', [-60, -30, -10, -4, -2, 0, 0, 0, 0, 2, 4, 10, 30, 60]),
      LARGE_THOUSAND_USD,
      LEVERAGE,
    ],
    weight: 6,
    play: (table, [long, by, offset, size, leverageX]) => {
      const lots = table.lotsOf(size! * 1_000);
      const price = offset === 0 ? betweenQuotes(table) : table.index * (1 + offset! / 10_000);
      const options = { leverageX: leverageX! };
      table.limit(colluderAfter(long!, by!), 'sell', price, lots, options);
      table.limit(long!, 'buy', price, lots, options);
    },
  },
  /** An order for a share of a position that the venue may close, at its bankruptcy price or beyond it. */
  catch: {
    arguments: [PARTY, BY, range('beyond', -20, 90, 2), SHARE, LEVERAGE],
    weight: 8,
    play: (table, [party, by, beyond, share, leverageX]) => {
      const lots = (sizeOf(table, party!) * share!) / 100;
      const price = away(table, party!, table.bankruptcyPrice(party!), beyond!);
      table.limit(colluderAfter(party!, by!), opposite(table, party!), price, Math.max(MIN_LOTS, Math.floor(lots)), {
        leverageX: leverageX!,
      });
    },
  },
  /** Orders below the bankruptcy price at several distances: one of them may be between it and the mark after a move of the index. */
  rungs: {
    arguments: [PARTY, BY, range('first', 0, 40, 2), range('apart', 2, 30, 2), SHARE],
    weight: 3,
    play: (table, [party, by, first, apart, share]) => {
      const lots = Math.max(MIN_LOTS, Math.floor((sizeOf(table, party!) * share!) / 100));
      for (let rung = 0; rung < 4; rung += 1) {
        const price = away(table, party!, table.bankruptcyPrice(party!), first! + rung * apart!);
        table.limit(colluderAfter(party!, by!), opposite(table, party!), price, lots, { leverageX: 20 });
      }
    },
  },
  /** An order for all of a position but a few of the smallest quantities, near its liquidation price. */
  stub: {
    arguments: [PARTY, BY, range('beyond', -10, 40, 1), argument('left', [1, 1, 2, 5, 20])],
    weight: 4,
    play: (table, [party, by, beyond, left]) => {
      const lots = sizeOf(table, party!) - left! * MIN_LOTS;
      const price = away(table, party!, table.liquidationPrice(party!), beyond!);
      if (lots > 0) table.limit(colluderAfter(party!, by!), opposite(table, party!), price, lots, { leverageX: 10 });
    },
  },
  /** Many orders of the smallest quantity in front of the best price of a side, from two accounts. */
  dust: {
    arguments: [colluder('account'), BY, SIDE, range('ticks', 0, 20, 1), argument('each', [100, 250, 500, 500, 500])],
    weight: 6,
    play: (table, [account, by, side, ticks, count]) => {
      const isBuy = side === 0;
      const best = table.best(isBuy ? 'buy' : 'sell') + (isBuy ? ticks! : -ticks!);
      for (const owner of [account!, colluderAfter(account!, by!)])
        table.limits(owner, isBuy ? 'buy' : 'sell', best, MIN_LOTS, count!, { leverageX: 50 });
    },
  },
  /** Reduce-only orders of the largest quantity. */
  phantom: {
    arguments: [colluder('account'), range('bps', 1, 60, 1), range('count', 1, 20, 1)],
    weight: 1,
    play: (table, [account, offset, count]) => {
      const base = table.position(account!).signedBaseAtoms;
      const side = base > 0 ? 'sell' : 'buy';
      const price = table.index * (1 + ((base > 0 ? 1 : -1) * offset!) / 10_000);
      for (let placed = 0; placed < count!; placed += 1)
        table.limit(account!, side, price, SEARCHED_MARKET.maxQuantityAtoms, { reduceOnly: true });
    },
  },
  /** Takes the quotes of a side up to a distance from the index. What does not fill is cancelled. */
  sweep: {
    arguments: [colluder('account'), SIDE, range('bps', 2, 60, 2), THOUSAND_USD, LEVERAGE],
    weight: 3,
    play: (table, [account, side, offset, size, leverageX]) => {
      const isBuy = side === 0;
      const price = table.index * (1 + ((isBuy ? 1 : -1) * offset!) / 10_000);
      table.limit(account!, isBuy ? 'buy' : 'sell', price, table.lotsOf(size! * 1_000), { leverageX: leverageX! });
      table.cancelAll(account!);
    },
  },
  /** Quotes of the impact notional around a price away from the index, and a trade of the smallest quantity there. */
  spoof: {
    arguments: [colluder('seller'), BY, range('bps', -60, 60, 2)],
    weight: 5,
    play: (table, [seller, by, offset]) => {
      const buyer = colluderAfter(seller!, by!);
      const price = Math.round(table.index * (1 + offset! / 10_000));
      const lots = table.lotsOf((SEARCHED_MARKET.impactNotionalAtoms / USD) * 1.1);
      const options = { leverageX: 10 };
      table.limit(seller!, 'sell', price, lots, options);
      table.limit(buyer, 'buy', price - 10, lots, options);
      const isBelow = offset! < 0;
      table.limit(isBelow ? buyer : seller!, isBelow ? 'buy' : 'sell', isBelow ? price : price - 10, MIN_LOTS, options);
    },
  },
  /** Two accounts close against each other at the mark, as far as both can. */
  unwind: {
    arguments: [colluder('one'), BY],
    weight: 3,
    play: (table, [one, by]) => {
      const other = colluderAfter(one!, by!);
      const [base, counter] = [table.position(one!).signedBaseAtoms, table.position(other).signedBaseAtoms];
      if (base === 0 || counter === 0 || base > 0 === counter > 0) return;
      const lots = Math.min(Math.abs(base), Math.abs(counter));
      const price = table.market.markPriceAtoms;
      table.limit(one!, base > 0 ? 'sell' : 'buy', price, lots, { reduceOnly: true });
      table.limit(other, counter > 0 ? 'sell' : 'buy', price, lots, { reduceOnly: true });
    },
  },
} satisfies Record<string, Move>;

/** A price between the best quotes, near the index. */
function betweenQuotes(table: Table): number {
  const [bid, ask] = [table.best('buy'), table.best('sell')];
  return bid < table.index && table.index < ask ? table.index : Math.ceil((bid + ask) / 2);
}

function sizeOf(table: Table, account: number): number {
  return Math.abs(table.position(account).signedBaseAtoms);
}

/** The side that meets the close of a position. */
function opposite(table: Table, account: number): Side {
  return table.position(account).signedBaseAtoms > 0 ? 'buy' : 'sell';
}

/** A price that is worse for a position by so many basis points. */
function away(table: Table, account: number, price: number, bps: number): number {
  return price * (1 - ((table.position(account).signedBaseAtoms > 0 ? 1 : -1) * bps) / 10_000);
}
