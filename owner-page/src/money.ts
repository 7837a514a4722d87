/**
 * Amounts of USD.E as the venue sends them: decimal strings, and atoms (millionths) as strings of digits. They are compared as
 * bigint and never become floating-point numbers. Quantities of a market have its scale instead of six decimals.
 */
const DECIMALS = 6;
/** As many digits as the venue accepts, and no sign, exponent or separator. */
const AMOUNT = /^([0-9]{1,15})(?:\.([0-9]{1,6}))?$/;

/** The atoms of an amount that a person typed; `undefined` for anything that is not a positive amount. */
export function atomsOfInput(typed: string, decimals = DECIMALS): bigint | undefined {
  const match = AMOUNT.exec(typed.trim());
  const fraction = match?.[2] ?? '';
  if (match === null || fraction.length > decimals) return undefined;
  const atoms = BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
  return atoms > 0n ? atoms : undefined;
}

/** `1234500000n` as `1234.5`. */
export function decimalOf(atoms: bigint, decimals = DECIMALS): string {
  const sign = atoms < 0n ? '-' : '';
  const digits = String(atoms < 0n ? -atoms : atoms).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(whole.length).replace(/0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** An amount that the venue sent as a decimal string. */
export function shownDecimal(amount: string): string {
  return shownAmount(String(atomsOfInput(amount) ?? 0n));
}

/** For people: `1 234 567.5 USD.E`, with spaces that do not break lines. */
export function shownAmount(atoms: string): string {
  return `${grouped(decimalOf(BigInt(atoms)))}\u00a0USD.E`;
}

/** As {@link shownAmount}, with the sign of a gain. */
export function shownGain(atoms: bigint): string {
  return `${atoms > 0n ? '+' : ''}${shownAmount(String(atoms))}`;
}

/** A quantity or price of a market, in groups of three digits. */
export function shownScaled(atoms: string, decimals: number): string {
  return grouped(decimalOf(BigInt(atoms), decimals));
}

function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  return `${whole.replace(/\B(?=(?:[0-9]{3})+$)/g, '\u202f')}${fraction === undefined ? '' : `.${fraction}`}`;
}
