/** The settlement of a test venue: a local ledger on disk behind a connection whose faults the test plants, and its coordinator. */
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { Coordinator, type MoneySwitches } from '#settlement/coordinator/coordinator.ts';
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import { FaultyLedger, type LedgerFault, type LedgerFaults } from '#settlement/testing/faulty-ledger.ts';
import type { Clock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import type { Files } from '#writer/journal/files.ts';
import type { Submit } from '#writer/port/submit.ts';

export interface TestSettlementOptions {
  readonly files: Files;
  readonly owners: OwnerDirectory;
  readonly submit: Submit;
  readonly switches: () => MoneySwitches;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onInternalError: (error: unknown) => void;
}

export async function openSettlement(options: TestSettlementOptions) {
  const { files, owners, submit, switches, clock, timers, onInternalError } = options;
  const local = await LocalLedger.open({ files, clock, allowsIssue: true });
  const planted: { fault?: LedgerFault | undefined; faults?: LedgerFaults | undefined } = {};
  const ledger = new FaultyLedger(local, timers, (call) => planted.faults?.(call) ?? planted.fault);
  const lines: string[] = [];
  const ports = { ledger, owners, submit, switches, clock, timers, issuesDeposits: true, onInternalError };
  const coordinator = new Coordinator({ ...ports, log: (line) => lines.push(line) });
  return {
    coordinator,
    local,
    ledger,
    /** The fault of every call from now on, or of each call. */
    planted,
    lines,
    async close(): Promise<void> {
      await coordinator.close();
      await local.close();
    },
  };
}
