/**
 * Amounts of USD.E as the venue sends them: decimal strings, and atoms (millionths) as strings of digits. They are compared as
 * bigint and never become floating-point numbers.
 */
const DECIMALS = 6;
const ATOMS_PER_UNIT = 10n ** BigInt(DECIMALS);
/** As many digits as the venue accepts, and no sign, exponent or separator. */
const AMOUNT = /^([0-9]{1,15})(?:\.([0-9]{1,6}))?$/;

/** The atoms of an amount that a person typed; `undefined` for anything that is not a positive amount. */
export function atomsOfInput(typed: string): bigint | undefined {
  const match = AMOUNT.exec(typed.trim());
  if (match === null) return undefined;
  const atoms = BigInt(match[1]!) * ATOMS_PER_UNIT + BigInt((match[2] ?? '').padEnd(DECIMALS, '0'));
  return atoms > 0n ? atoms : undefined;
}

/** `1234500000n` as `1234.5`. */
export function decimalOf(atoms: bigint): string {
  const sign = atoms < 0n ? '-' : '';
  const magnitude = atoms < 0n ? -atoms : atoms;
  const fraction = String(magnitude % ATOMS_PER_UNIT)
    .padStart(DECIMALS, '0')
    .replace(/0+$/, '');
  return `${sign}${magnitude / ATOMS_PER_UNIT}${fraction === '' ? '' : `.${fraction}`}`;
}

/** An amount that the venue sent as a decimal string. */
export function shownDecimal(amount: string): string {
  return shownAmount(String(atomsOfInput(amount) ?? 0n));
}

/** For people: `1 234 567.5 USD.E`, with spaces that do not break lines. */
export function shownAmount(atoms: string): string {
  const [whole = '', fraction] = decimalOf(BigInt(atoms)).split('.');
  const grouped = whole.replace(/\B(?=(?:[0-9]{3})+$)/g, '\u202f');
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`}\u00a0USD.E`;
}
