/** Checks sums and products of a ccxt user's numbers as decimals, since float arithmetic would hide or invent errors. */
import assert from 'node:assert/strict';
import { Precise } from 'ccxt';

/** `left × right = product`, as decimals. */
export function assertProduct(left: number, right: number, product: number, what: string): void {
  assert(
    Precise.stringEq(Precise.stringMul(String(left), String(right)), String(product)),
    `${what}: ${left} × ${right} is not ${product}`,
  );
}

/** `left + right = sum`, as decimals. */
export function assertSum(left: number, right: number, sum: number, what: string): void {
  assert(
    Precise.stringEq(Precise.stringAdd(String(left), String(right)), String(sum)),
    `${what}: ${left} + ${right} is not ${sum}`,
  );
}
