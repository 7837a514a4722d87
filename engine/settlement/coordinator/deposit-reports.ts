/**
 * Reports deposits that end otherwise than their owner expects, although nothing went wrong: credited to an account that was retired
 * meanwhile, or refused because of the bound of all deposits. Counts are those since the start.
 */
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { type AccountOrdinal, renderAccountId, renderDepositId } from '#units/ids.ts';
import type { DepositConfirmed } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { isPowerOfTwo } from './stuck-items.ts';

export class DepositReports {
  readonly #owners: OwnerDirectory;
  readonly #log: (line: string) => void;
  #toRetired = 0;
  #beyondBound = 0;

  constructor(owners: OwnerDirectory, log: (line: string) => void) {
    this.#owners = owners;
    this.#log = log;
  }

  /** Deposits that were credited to a retired account. */
  get toRetired(): number {
    return this.#toRetired;
  }

  /** Deposits and faucet grants that were refused because of the bound of all deposits. */
  get beyondBound(): number {
    return this.#beyondBound;
  }

  /** Takes a record after the directory of owners has. */
  take({ command, events }: CommittedRecord): void {
    for (const event of events) {
      if (event.type === 'DepositConfirmed') this.#credit(event);
      const isDeposit = command.type === 'BindDeposit' || command.type === 'GrantFaucet';
      if (isDeposit && event.type === 'CommandRefused' && event.code === 'amount_out_of_bounds') this.#refuse(command.account);
    }
  }

  #credit({ deposit, account }: DepositConfirmed): void {
    const owner = this.#owners.owner(account);
    if (owner?.isRetired !== true) return;
    this.#toRetired += 1;
    const [how, next] = owner.isLegacy
      ? ['retired as legacy', 'its owner cannot withdraw the cash: pay it out, then use account debit']
      : ['retired', 'its owner may withdraw the cash'];
    this.#log(
      `deposits: ${renderDepositId(deposit)} was credited to ${renderAccountId(account)}, which was ${how} meanwhile: ${next}`,
    );
  }

  /** Clients can repeat it, so it is not logged each time. */
  #refuse(account: AccountOrdinal): void {
    this.#beyondBound += 1;
    if (!isPowerOfTwo(this.#beyondBound)) return;
    this.#log(
      `deposits: one of ${renderAccountId(account)} was refused, because it is beyond the bound of all deposits; nothing moved ` +
        `(${this.#beyondBound} since the start)`,
    );
  }
}
