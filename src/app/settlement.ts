/**
 * Opens the external ledger of a venue and its coordinator. On local and development it is the local ledger in the data directory; on
 * testnet and mainnet none is connected yet, and what needs one is refused.
 */
import type { Ledger as VenueLedger } from '#host/ledger.ts';
import { inDirectory, StartFault } from '#host/start-fault.ts';
import { SETTLEMENT_COMMANDS } from '#projection/projection.ts';
import { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { LedgerDamaged } from '#settlement/local/ledger-log.ts';
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import type { Timers } from '#time/timers.ts';
import { recordsOfCommands } from '#writer/port/group-records.ts';
import type { VenueConfig } from './config.ts';
import { LEDGER_FOLDER } from './data-directory.ts';

export interface SettlementParts {
  readonly timers: Timers;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  readonly onInternalError: (error: unknown) => void;
}

/** Throws `StartFault` if the ledger's log is damaged. The coordinator compares ledger and journal after the start, and reports. */
export async function openSettlement(
  { environment, dataDirectory, maxLedgerLogBytes }: Pick<VenueConfig, 'environment' | 'dataDirectory' | 'maxLedgerLogBytes'>,
  venue: VenueLedger,
  { timers, log, onInternalError }: SettlementParts,
  resources: AsyncDisposableStack,
): Promise<Coordinator | undefined> {
  if (environment !== 'local' && environment !== 'development') return undefined;
  const { time } = venue.writer;
  const maxLogBytes = maxLedgerLogBytes === undefined ? {} : { maxLogBytes: maxLedgerLogBytes };
  const ledger = await inDirectory(dataDirectory, async () => {
    try {
      return await LocalLedger.open({
        files: await venue.filesIn(LEDGER_FOLDER),
        clock: time,
        allowsIssue: true,
        ...maxLogBytes,
      });
    } catch (cause) {
      throw cause instanceof LedgerDamaged ? new StartFault(cause.message, { cause }) : cause;
    }
  });
  resources.defer(() => ledger.close());
  const { directory } = venue.projection;
  const coordinator = new Coordinator({
    ledger,
    owners: venue.owners,
    submit: venue.submit,
    switches: () => directory.switches(),
    clock: time,
    timers,
    issuesDeposits: true,
    log,
    onInternalError,
  });
  resources.defer(() => coordinator.close());
  venue.addListener(({ stored }) => coordinator.follow(recordsOfCommands(stored!, SETTLEMENT_COMMANDS)));
  return coordinator;
}

/** What of the ledger clients must know, in words for them. */
export function settlementFaults(coordinator: Coordinator | undefined): readonly string[] {
  if (coordinator === undefined) return [];
  const { isUp, isCompared, isBusy, difference } = coordinator.status;
  if (difference !== null) return [LEDGER_DIFFERS];
  if (!isUp || !isCompared) return [LEDGER_UNAVAILABLE];
  return isBusy ? [LEDGER_BUSY] : [];
}

const LEDGER_UNAVAILABLE =
  'external_ledger_unavailable: deposits and withdrawals wait until the external ledger responds; trading goes on';
const LEDGER_BUSY =
  'external_ledger_busy: deposits and withdrawals wait until the external ledger takes commands again; trading goes on';
const LEDGER_DIFFERS = 'external_ledger_differs: no money moves in or out until the operator has repaired it; trading goes on';
