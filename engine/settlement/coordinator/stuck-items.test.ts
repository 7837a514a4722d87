/** What the ledger or the venue refuses for good: the operator sees it, the log is not flooded, and it goes on once it is repaired. */
import { expect, test } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { CommandRefused, type Ledger } from '#settlement/port/ledger.ts';
import { Life } from './testing/life.ts';
import { boundDeposit, fundedLife, isDepositDue } from './testing/open-flows.ts';

const DAY_MS = 86_400_000;

/** The ledger of a life that gets other commands than the venue submits. */
function replaceCommands(life: Life, replace: (command: LedgerCommand) => LedgerCommand): void {
  const { local } = life;
  const ledger = new Proxy<Ledger>(local, {
    get: (_, name: keyof Ledger) =>
      name === 'submit'
        ? async (command: LedgerCommand) => local.submit(replace(command))
        : (local[name] as () => unknown).bind(local),
  });
  life.ledger.replace(ledger);
}

function linesWith(life: Life, text: string): readonly string[] {
  return life.lines.filter((line) => line.includes(text));
}

test('reports a command that the ledger refuses ever less often, until it is repaired', async () => {
  const { life, time, account } = await fundedLife(0);
  let refusals = 0;
  replaceCommands(life, (command) => {
    if (command.step !== 'treasury_offer') return command;
    refusals += 1;
    throw new CommandRefused('this ledger makes no offers');
  });
  const deposit = await boundDeposit(life, account);
  await life.until('a refused command', () => life.coordinator.status.stuck === 1);
  for (let minute = 0; minute < 24 * 60; minute += 1) await time.advance(DAY_MS / (24 * 60));
  const lines = linesWith(life, 'this ledger makes no offers');
  expect(lines[0]).toMatch(/^ledger: it refuses a command of deposit 1: this ledger makes no offers$/);
  expect(lines.at(-1)).toMatch(/\(tried 128 times\)$/);
  expect(lines).toHaveLength(8);
  // At least one each ten minutes, so that a repair is noticed.
  expect(refusals).toBeGreaterThan(140);
  expect(refusals).toBeLessThan(170);
  life.ledger.replace(life.local);
  await life.until('no stuck item', () => life.coordinator.status.stuck === 0);
  // The offer has expired meanwhile: it is made again when its owner asks.
  await life.until('the next attempt', () => isDepositDue(life, deposit, 'treasury_offer'));
  await life.close();
});

test('shows a deposit whose party the ledger does not know, also after a restart, and offers it again when its owner asks', async () => {
  const { life, time, account } = await fundedLife(0);
  replaceCommands(life, (command) => (command.step === 'treasury_offer' ? { ...command, partyId: 'unknown' } : command));
  const deposit = await boundDeposit(life, account);
  await life.until('a stuck deposit', () => life.coordinator.status.stuck === 1);
  expect(life.owners.deposit(deposit)).toMatchObject({
    step: 'treasury_offer',
    attempt: 2,
    lastOutcome: { reason: 'party_unknown' },
  });
  const { partyId } = life.holdings('alice');
  const line = `ledger: the ledger rejected the offer of deposit 1 to ${partyId}: party_unknown`;
  await time.advance(DAY_MS);
  expect([life.lines.filter((it) => it === line).length, life.submissions('SubmitDepositStep')]).toEqual([1, 1]);
  await life.close();
  const again = await Life.open({ time, ...life.files });
  await again.until('a stuck deposit', () => again.coordinator.status.stuck === 1);
  expect(again.lines).toContain(line);
  await again.deposit(account, 1_000);
  expect([again.coordinator.status.stuck, again.holdings('alice').cashAtoms]).toEqual([0, 1_000]);
  await again.close();
});

test('makes a rejected offer again at most once an hour, however often its owner asks, also after a restart', async () => {
  const { life, time, account } = await fundedLife(0);
  replaceCommands(life, (command) => (command.step === 'treasury_offer' ? { ...command, partyId: 'unknown' } : command));
  const deposit = await boundDeposit(life, account);
  await life.until('a stuck deposit', () => life.coordinator.status.stuck === 1);
  const askFor = async (of: Life, minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      void of.coordinator.depositSettled(deposit);
      await time.advance(60_000);
    }
  };
  await askFor(life, 55);
  expect(life.owners.deposit(deposit)).toMatchObject({ step: 'treasury_offer', attempt: 2, isSubmitted: false });
  expect(life.coordinator.status.stuck).toBe(1);
  await life.close();
  const again = await Life.open({ time, ...life.files });
  replaceCommands(again, (command) => (command.step === 'treasury_offer' ? { ...command, partyId: 'unknown' } : command));
  await again.until('a comparison', () => again.coordinator.status.isCompared);
  await askFor(again, 3);
  expect([again.owners.deposit(deposit)?.attempt, again.submissions('SubmitDepositStep')]).toEqual([2, 0]);
  await askFor(again, 7);
  expect(again.owners.deposit(deposit)).toMatchObject({ attempt: 3, lastOutcome: { reason: 'party_unknown' } });
  // The request within the hour still counts.
  await askFor(again, 1);
  for (let minute = 0; minute < 70; minute += 1) await time.advance(60_000);
  expect(again.owners.deposit(deposit)?.attempt).toBe(4);
  for (let hour = 0; hour < 24; hour += 1) await time.advance(60 * 60_000);
  expect([again.owners.deposit(deposit)?.attempt, again.coordinator.status.stuck]).toEqual([4, 1]);
  await again.close();
});

test('is not stuck by a step that came first', async () => {
  const { life, account } = await fundedLife();
  await life.withdraw(account, 400);
  expect(life.coordinator.status.stuck).toBe(0);
  await life.close();
});
