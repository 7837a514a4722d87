/** Shares of amounts in whole atoms, exact for amounts of any size. */

/** `amount × numerator / denominator` of amounts at or above zero, rounded down. */
export function shareDown(amount: number, numerator: number, denominator: number): number {
  const product = amount * numerator;
  if (!Number.isSafeInteger(product)) return Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
  return (product - (product % denominator)) / denominator;
}

/** `amount × numerator / denominator` of amounts at or above zero, rounded up. */
export function shareUp(amount: number, numerator: number, denominator: number): number {
  const product = amount * numerator;
  if (!Number.isSafeInteger(product)) {
    const divisor = BigInt(denominator);
    return Number((BigInt(amount) * BigInt(numerator) + divisor - 1n) / divisor);
  }
  const rest = product % denominator;
  return (product - rest) / denominator + (rest > 0 ? 1 : 0);
}

/** The same for factors below zero too, rounded toward zero. */
export function shareTowardZero(amount: number, numerator: number, denominator: number): number {
  const size = shareDown(Math.abs(amount), Math.abs(numerator), denominator);
  return size !== 0 && amount < 0 !== numerator < 0 ? -size : size;
}
