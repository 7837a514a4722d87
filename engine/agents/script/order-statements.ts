/** Compiles orders. Ids are known before the first bar; conditions, quantities and prices are evaluated when the order is reached. */
import { powerOfTen } from './arithmetic.ts';
import type { Constants } from './constant.ts';
import type { ExitPrices, OrderDesk } from './order-desk.ts';
import type { ExitLevel, Expression, OrderStatement } from './program.ts';
import { RunFault } from './run-fault.ts';

type Evaluate = () => number;

export function compileOrder(
  statement: OrderStatement,
  desk: OrderDesk,
  constants: Constants,
  quantityScale: number,
  compile: (expression: Expression) => Evaluate,
): () => void {
  const when = statement.when === null ? () => 1 : compile(statement.when);
  const send = compileSending(statement, desk, constants, quantityScale, compile);
  return () => {
    if (when() === 1) send();
  };
}

function compileSending(
  statement: OrderStatement,
  desk: OrderDesk,
  constants: Constants,
  quantityScale: number,
  compile: (expression: Expression) => Evaluate,
): () => void {
  if (statement.kind === 'close-all') return () => desk.closeAll();
  const id = constants.textOf(statement.id);
  if (statement.kind === 'close') return () => desk.close(id);
  if (statement.kind === 'exit') {
    const fromEntry = statement.fromEntry === null ? null : constants.textOf(statement.fromEntry);
    const levels = Object.entries(statement.levels).map(([name, level]) => [name as ExitLevel, compile(level)] as const);
    return () => {
      const given = levels.map(([name, level]) => [name, level()] as const).filter(([, price]) => !Number.isNaN(price));
      const prices = Object.fromEntries(given) as ExitPrices;
      desk.exit(id, fromEntry, statement.prefersPrices ? withoutDistances(prices) : prices);
    };
  }
  const isLong = compile(statement.isLong);
  const quantity = statement.quantity === null ? null : compile(statement.quantity);
  return () => {
    const direction = isLong() === 1 ? 'long' : 'short';
    const size = quantity === null ? Number.NaN : quantity();
    // Without a quantity, or with na, the deployment decides it.
    if (Number.isNaN(size)) return desk.enter(id, direction, null);
    const atoms = atomsOf(size, quantityScale);
    if (atoms > 0) desk.enter(id, direction, atoms);
  };
}

/** A distance in ticks from the entry has no effect beside a price for the same purpose. */
function withoutDistances({ profit, loss, trail_points, ...prices }: ExitPrices): ExitPrices {
  return {
    ...prices,
    ...(prices.limit === undefined && profit !== undefined && { profit }),
    ...(prices.stop === undefined && loss !== undefined && { loss }),
    ...(prices.trail_price === undefined && trail_points !== undefined && { trail_points }),
  };
}

/** The nearest number of quantity atoms: a double such as 0.29 lies beside its decimal. Multiples of the lot are the ledger's. */
function atomsOf(size: number, quantityScale: number): number {
  const atoms = Math.round(size * powerOfTen(quantityScale));
  if (atoms <= Number.MAX_SAFE_INTEGER) return atoms;
  throw new RunFault('quantity', `the quantity ${size} of an entry is too large`);
}
