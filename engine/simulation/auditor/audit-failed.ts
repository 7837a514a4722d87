/** How an auditor reports that the venue broke a rule: which check found it, and what is wrong. */

export type Check =
  | 'account'
  | 'agent'
  | 'affiliate'
  | 'api key'
  | 'batch'
  | 'client order id'
  | 'command'
  | 'deleveraging'
  | 'event'
  | 'fee'
  | 'funding'
  | 'index'
  | 'ledger'
  | 'liquidation'
  | 'margin'
  | 'mark'
  | 'market'
  | 'matching'
  | 'money'
  | 'order'
  | 'owner'
  | 'owner money'
  | 'position'
  | 'refusal'
  | 'reservation'
  | 'settlement'
  | 'state'
  | 'switch'
  | 'transfer'
  | 'trigger';

export class AuditFailed extends Error {
  override readonly name = 'AuditFailed';
  readonly check: string;

  constructor(check: string, what: string) {
    super(what);
    this.check = check;
  }
}

/** Throws {@link AuditFailed}. The caller tests the condition itself, so that no message is built if it holds. */
export function fail(check: Check, what: string): never {
  throw new AuditFailed(check, what);
}
