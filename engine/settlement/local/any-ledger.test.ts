/** Random commands, kills, power cuts and reopenings: the ledger equals a naive model and loses nothing that it acknowledged. */
import { expect, it, test } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { MAX_PAGE } from '#settlement/port/ledger.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';
import { openLocal } from '#settlement/testing/local-subject.ts';
import { NaiveLedger } from '#settlement/testing/naive-ledger.ts';
import { pick, randomCommand } from '#settlement/testing/random-commands.ts';
import { PowerCutFiles, TEARS } from '#simulation/power-cut-files.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { LocalLedger } from './local-ledger.ts';

const STEPS = 40;
/** More seeds: `OPENPERP_LEDGER_RUNS=1000`. */
const SEEDS = Array.from({ length: Number(process.env.OPENPERP_LEDGER_RUNS ?? 40) }, (_, index) => index + 1);
const outcomes = new Set<string>();

it.each(SEEDS)('equals the naive model after every step of seed %i', async (seed) => {
  const run = await AnyRun.open(seededRandom(seed));
  for (let step = 0; step < STEPS; step += 1) await run.step();
});

test('all seeds together have every outcome', () => {
  // Every reason, except for a supply that no random amounts reach.
  expect([...outcomes].sort()).toEqual(
    [
      'accepted',
      'balance_insufficient',
      'consent_absent',
      'consent_mismatch',
      'consent_present',
      'consent_revoked',
      'not_the_receiver',
      'offer_closed',
      'offer_expired',
      'offer_unknown',
      'package_absent',
      'party_of_the_venue',
      'party_unknown',
      'withdrawal_consent_unknown',
      'withdrawal_consent_used',
    ].sort(),
  );
});

class AnyRun {
  readonly #random: Random;
  readonly #time = new ManualTime();
  readonly #naive: NaiveLedger;
  readonly #venueParties: readonly string[];
  /** Commands whose submission was answered, or seen sequenced. */
  readonly #acknowledged = new Map<string, LedgerCommand>();
  readonly #seen: LedgerEntry[] = [];
  #files: PowerCutFiles;
  #ledger: LocalLedger;
  #commands = 0;

  private constructor(random: Random, files: PowerCutFiles, ledger: LocalLedger, treasury: string, custody: string) {
    this.#random = random;
    this.#files = files;
    this.#ledger = ledger;
    this.#naive = new NaiveLedger(treasury, custody);
    this.#venueParties = [treasury, custody];
  }

  static async open(random: Random): Promise<AnyRun> {
    const files = new PowerCutFiles();
    const ledger = await openLocal(files, new ManualTime());
    const { treasuryPartyId, custodyPartyId } = await ledger.head();
    await ledger.close();
    const run = new AnyRun(random, files, ledger, treasuryPartyId, custodyPartyId);
    run.#ledger = await openLocal(files, run.#time);
    return run;
  }

  async step(): Promise<void> {
    this.#time.pass(Math.floor(this.#random() * 500));
    const responses = Array.from({ length: 1 + Math.floor(this.#random() * 6) }, () => this.#submit());
    const isInterrupted = this.#random() < 0.4;
    if (!isInterrupted) await Promise.all(responses);
    else {
      for (let turns = Math.floor(this.#random() * 8); turns > 0; turns -= 1) await this.#time.settle();
      await this.#restart();
      await Promise.all(responses);
    }
    await this.#settle();
    await this.#check();
  }

  async #submit(): Promise<void> {
    const isRepeated = this.#acknowledged.size > 0 && this.#random() < 0.2;
    const command = isRepeated ? pick(this.#random, [...this.#acknowledged.values()]) : this.#newCommand();
    try {
      const known = await this.#ledger.submit(command);
      this.#acknowledged.set(command.commandId, command);
      if (known.status === 'sequenced') expect(this.#seen).toContainEqual({ command, receipt: known.receipt });
    } catch (cause) {
      expect(cause).toMatchObject({ name: 'LedgerUnavailable' });
    }
  }

  #newCommand(): LedgerCommand {
    this.#commands += 1;
    const venue = pick(this.#random, this.#venueParties);
    return randomCommand(this.#random, `command-${this.#commands}`, this.#naive, venue, this.#time.now());
  }

  async #restart(): Promise<void> {
    const kind = pick(this.#random, ['close', 'kill', 'power_cut'] as const);
    if (kind === 'close') await this.#ledger.close();
    else {
      // The process of the old ledger has ended: it cannot write any more.
      const killed = this.#files.afterKill();
      this.#files.cutPower();
      const tear = pick(this.#random, TEARS);
      this.#files = kind === 'kill' ? killed : new PowerCutFiles(undefined, this.#files.afterPowerCut(tear, this.#random));
    }
    this.#ledger = await openLocal(this.#files, this.#time);
  }

  async #settle(): Promise<void> {
    for (let number = 1; number <= this.#commands; number += 1)
      while ((await this.#ledger.lookUp(`command-${number}`)).status === 'pending') await this.#time.settle();
  }

  async #check(): Promise<void> {
    await this.#checkEntries();
    for (const partyId of [...this.#naive.owners, ...this.#venueParties]) await this.#checkParty(partyId);
    for (const offerId of this.#naive.offers) {
      const { receiver, amount, status } = this.#naive.offer(offerId)!;
      expect(await this.#ledger.offer(offerId)).toMatchObject({ receiverPartyId: receiver, amountAtoms: amount, status });
    }
    const { issuedAtoms, heldAtoms, offeredAtoms } = await this.#ledger.supply();
    expect(issuedAtoms).toBe(this.#naive.issued);
    expect(heldAtoms + offeredAtoms).toBe(issuedAtoms);
  }

  async #checkEntries(): Promise<void> {
    const entries = await this.#ledger.entries({ afterOffset: 0, limit: MAX_PAGE });
    expect(entries.slice(0, this.#seen.length)).toEqual(this.#seen);
    for (const entry of entries.slice(this.#seen.length)) {
      const { receipt } = entry;
      const outcome = receipt.outcome === 'sequenced_rejected' ? receipt.reason : 'accepted';
      outcomes.add(outcome);
      expect(this.#naive.expected(entry), JSON.stringify(entry)).toBe(outcome);
      this.#seen.push(entry);
      this.#acknowledged.set(entry.command.commandId, entry.command);
    }
    for (const commandId of this.#acknowledged.keys())
      expect((await this.#ledger.lookUp(commandId)).status, commandId).toBe('sequenced');
  }

  async #checkParty(partyId: string): Promise<void> {
    expect(await this.#ledger.balance(partyId)).toEqual({
      availableAtoms: this.#naive.available(partyId),
      offeredAtoms: this.#naive.offered(partyId),
    });
    expect(await this.#ledger.consent(partyId)).toMatchObject(this.#naive.consent(partyId));
  }
}
