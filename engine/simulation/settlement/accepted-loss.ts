/**
 * What follows if the newer journal is gone for good: the operator accepts the ledger's entries, and transfers go on. Open flows find
 * what the lost records have done for them, and no money moves twice, also while the ledger is down at the deadlines.
 */
import { demand } from '#simulation/world/audit/demand.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { Command } from '#venue/command.ts';
import { type Flow, nameOf } from './books/flow.ts';
import type { JournalBooks } from './books/journal-books.ts';
import { LedgerBooks } from './books/ledger-books.ts';
import type { LedgerSite } from './ledger-site.ts';
import type { VenueLife } from './venue-life.ts';

/** Until all deadlines and offers have passed. */
const DEADLINES_MS = 25 * 3_600_000;
const SHORT_STEPS = 20;
/** More than any retry of a flow needs, of a second each. */
const LONG_STEPS = 150;

export interface AcceptedLossParts {
  readonly site: LedgerSite;
  readonly random: RandomSource;
  readonly passTime: (ms: number) => void;
  /** Passes some steps of a second. */
  readonly pass: (life: VenueLife, steps: number) => Promise<void>;
  readonly until: (life: VenueLife, what: string, isReached: () => boolean) => Promise<void>;
  /** Kills the venue and starts it again. */
  readonly restart: (life: VenueLife) => Promise<VenueLife>;
}

/** Returns the venue of the last start. Its owners sign nothing. */
export async function runAcceptedLoss(parts: AcceptedLossParts, books: JournalBooks, halted: VenueLife): Promise<VenueLife> {
  const { site, random, passTime, pass, until, restart } = parts;
  await accept(parts, halted);
  const isRestarted = random.chance(0.5);
  const isDownAtRestart = isRestarted && random.chance(0.5);
  if (isDownAtRestart) site.disconnect();
  const life = isRestarted ? await restart(halted) : halted;
  await pass(life, SHORT_STEPS);
  site.disconnect();
  passTime(DEADLINES_MS);
  await pass(life, SHORT_STEPS);
  site.repair();
  await until(life, 'the ledger is compared', () => life.coordinator.status.isCompared);
  await pass(life, LONG_STEPS);
  passTime(DEADLINES_MS);
  await pass(life, LONG_STEPS);
  const { difference } = life.coordinator.status;
  demand(difference === null, `the stores differ after their entries were accepted: ${difference?.text}`);
  const ledger = new LedgerBooks();
  await ledger.read(site.local);
  for (const flow of books.flows.values()) checkFlow(flow, ledger);
  return life;
}

async function accept({ site, pass, until }: AcceptedLossParts, life: VenueLife): Promise<void> {
  const { offset: ledgerOffset, ledgerEventId } = await site.local.head();
  const commands: readonly Command[] = [
    { type: 'AcceptLedgerEntries', ledgerOffset, ledgerEventId, reason: 'the newer journal is lost' },
    ...(['transfers', 'deposits', 'withdrawals'] as const).map(
      (capability) => ({ type: 'SetCapability', capability, isOn: true }) as const,
    ),
    { type: 'SetVenueStatus', status: 'open' },
  ];
  for (const command of commands) {
    const isDone = life.submit({ command });
    await pass(life, 1);
    const [event] = (await isDone).events;
    demand(event?.type !== 'CommandRefused', `the operator's ${command.type} is refused: ${JSON.stringify(event)}`);
    await until(life, 'the stores agree', () => life.coordinator.status.isCompared);
  }
}

/** A flow has moved its money once at most, and waits for nothing but its owner. */
function checkFlow(flow: Flow, ledger: LedgerBooks): void {
  const name = nameOf(flow);
  const isOwn = (commandId: string) => commandId.startsWith(`${flow.nonce}-`);
  const offers = [...ledger.offers.values()].filter(({ commandId }) => isOwn(commandId));
  const paid = offers.filter(({ status }) => status === 'accepted').length;
  demand(paid <= 1, `${paid} offers of ${name} are accepted`);
  demand(!flow.isSubmitted || flow.end !== undefined, `${name} does not go on after the acceptance: ${flow.step} is submitted`);
  if (flow.kind === 'withdrawal') {
    demand(flow.end !== 'settled' || paid === 1, `${name} is settled, and ${paid} of its offers are accepted`);
    const isOut = offers.some(({ status }) => status !== 'withdrawn');
    demand(flow.end !== 'blocked' || !isOut, `${name} is released, and its offer is accepted or open`);
    return;
  }
  const ins = ledger.accepted.filter(({ command }) => command.step === 'owner_account_acceptance' && isOwn(command.commandId));
  demand(flow.end !== 'confirmed' || ins.length === 1, `${name} is confirmed, and was paid ${ins.length} times`);
}
