/** What the operators of the venue and of the ledger do meanwhile: switches, retirements, credits, packages, revocations. */

import type { LedgerCommand } from '#settlement/port/command.ts';
import { LedgerUnavailable } from '#settlement/port/ledger.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { StepLog } from '#simulation/world/step-log.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Capability, Command } from '#venue/command.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { SettlementAudit } from './books/settlement-audit.ts';
import type { SettlementFaults } from './faults.ts';
import type { LedgerSite } from './ledger-site.ts';
import type { VenueLife } from './venue-life.ts';

const SWITCHED: readonly Capability[] = ['deposits', 'withdrawals', 'transfers', 'registration'];

export interface OperatorParts {
  readonly random: RandomSource;
  readonly faults: SettlementFaults;
  readonly audit: SettlementAudit;
  readonly site: LedgerSite;
  readonly log: StepLog;
  /** Whether owners use their parties without the venue. */
  readonly hasElsewhere: boolean;
  readonly onError: (error: unknown) => void;
}

export class Operator {
  readonly #parts: OperatorParts;
  #isPackageThere = true;
  #commands = 0;

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  act(life: VenueLife): void {
    const { faults, random, audit, hasElsewhere } = this.#parts;
    const accounts = [...audit.journal.parties.keys()];
    if (faults.strikes('capability_switched'))
      this.#submit(life, { type: 'SetCapability', capability: random.pick(SWITCHED), isOn: random.chance(0.3) });
    else if (random.chance(0.08)) for (const capability of SWITCHED) this.#switchOn(life, capability);
    if (faults.strikes('status_changed'))
      this.#submit(life, { type: 'SetVenueStatus', status: random.pick(['halted', 'intake_paused'] as const) });
    else if (random.chance(0.08)) this.#submit(life, { type: 'SetVenueStatus', status: 'open' });
    if (faults.strikes('package_removed') || (!this.#isPackageThere && random.chance(0.1)))
      this.#setPackage(!this.#isPackageThere);
    if (accounts.length === 0) return;
    const account = random.pick(accounts) as never;
    if (faults.strikes('account_retired')) this.#submit(life, { type: 'RetireAccount', account });
    if (faults.strikes('account_excluded')) this.#submit(life, { type: 'RetireAccount', account, isLegacy: true });
    if (faults.strikes('cash_credited'))
      this.#submit(life, { type: 'CreditCash', account, amountAtoms: quoteAtoms(random.between(1, 500)), reference: 'operator' });
    const { partyId } = audit.journal.parties.get(account)!;
    if (partyId === '') return;
    if (faults.strikes('consent_revoked'))
      this.#onLedger({ step: 'party_consent_revocation', commandId: this.#newId(), partyId });
    if (hasElsewhere && faults.strikes('owner_elsewhere')) this.#actElsewhere(partyId);
  }

  /** Everything is possible again. */
  repair(life: VenueLife): void {
    for (const capability of SWITCHED) this.#switchOn(life, capability);
    this.#submit(life, { type: 'SetVenueStatus', status: 'open' });
    this.#setPackage(true);
  }

  /** An owner accepts an open offer, pays money into the custody, or consents to a withdrawal, and the venue knows nothing of it. */
  #actElsewhere(partyId: string): void {
    const { audit, random } = this.#parts;
    const offer = [...audit.ledger.offers].find(([, { status, receiver }]) => status === 'open' && receiver === partyId);
    const commandId = this.#newId();
    const amount = audit.ledger.availableOf(partyId);
    if (offer !== undefined && random.chance(0.7))
      this.#onLedger({ step: 'owner_offer_acceptance', commandId, partyId, offerId: offer[0] });
    else if (amount > 0)
      this.#onLedger({ step: 'owner_account_acceptance', commandId, partyId, amountAtoms: quoteAtoms(amount) });
    else {
      const amountAtoms = quoteAtoms(random.between(1, 500));
      this.#onLedger({ step: 'owner_withdrawal_consent', commandId, partyId, destinationPartyId: partyId, amountAtoms });
    }
  }

  #switchOn(life: VenueLife, capability: Capability): void {
    this.#submit(life, { type: 'SetCapability', capability, isOn: true });
  }

  #setPackage(isAvailable: boolean): void {
    this.#isPackageThere = isAvailable;
    this.#onLedger({ step: 'package_availability', commandId: this.#newId(), isAvailable });
  }

  #newId(): string {
    this.#commands += 1;
    return `elsewhere-${this.#commands}`;
  }

  #onLedger(command: LedgerCommand): void {
    const { log, site, onError } = this.#parts;
    log.note(`the ledger gets ${JSON.stringify(command)} from elsewhere`);
    site.local.submit(command).catch((error: unknown) => {
      if (!(error instanceof LedgerUnavailable)) onError(error);
    });
  }

  #submit(life: VenueLife, command: Command): void {
    const { log, onError } = this.#parts;
    life.submit({ command }).then(
      ({ events }) => log.note(`the operator's ${command.type} ${JSON.stringify(command)}: ${events[0]?.type}`),
      (error: unknown) => {
        if (!(error instanceof VenueHalted || error instanceof WriterBusy)) onError(error);
      },
    );
  }
}
