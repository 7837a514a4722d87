/**
 * Leverage: the core has integer hundredths, the interface a number with at most two decimals. In both, 0 or nothing leaves it to the
 * account's setting.
 */

/** A leverage of 1, in hundredths. */
export const ONE_X = 100;

/** Exact for a number of at most two decimals. */
export function leverageHundredths(leverageX: number): number {
  return Math.round(leverageX * ONE_X);
}

/** The double next to the decimal number: it prints as that number. */
export function leverageXOf(hundredths: number): number {
  return hundredths / ONE_X;
}

/** Whether the leverage has no fraction. */
export function isWholeLeverage(hundredths: number): boolean {
  return hundredths % ONE_X === 0;
}
