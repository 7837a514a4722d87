/** The user code of a device grant: from the link that a program prints, or as a person types it. */

const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** `WDJB-MJHT`, whatever case, dashes and spaces were typed; `undefined` if it cannot be a user code. */
export function userCodeOf(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase();
  return USER_CODE.test(code) ? `${code.slice(0, 4)}-${code.slice(4)}` : undefined;
}

/** The code in the address `#connect=WDJB-MJHT`, which a program prints. */
export function userCodeOfHash(hash: string): string | undefined {
  const prefix = '#connect=';
  return hash.startsWith(prefix) ? userCodeOf(hash.slice(prefix.length)) : undefined;
}

const SCOPES: Readonly<Record<string, string>> = {
  read: 'read your balances, orders and trades',
  trade: 'place and cancel orders, and close positions',
  funding: 'prepare transfers between your account and its agents',
  agents: 'run agents of your account',
};

/** What a key with the scope may do, in words. */
export function scopeText(scope: string): string {
  return SCOPES[scope] ?? `use the scope “${scope}”, which this page does not know`;
}
