/** Expected faults, which the command line reports in one line: what is wrong and what to do. */
import { UsageFault } from '#app/config.ts';
import { ConnectFault } from '#app/connect.ts';
import { VenueRefused } from '#app/recorded-market.ts';
import { VenueUnreachable } from '#app/venue-exchange.ts';
import { StartFault } from '#host/start-fault.ts';
import { OperatorRefusal } from '#operator/action.ts';
import { SocketPathTooLong } from '#operator/socket-path.ts';
import { PriceSourceFault } from '#prices/price-source.ts';
import { DirectoryLocked, LockUnusable } from '#writer/journal/directory-lock.ts';
import { JournalDamaged } from '#writer/journal/journal-scan.ts';
import { RecoveryRefused } from '#writer/recovery/recovery.ts';

const FORESEEN = [
  StartFault,
  UsageFault,
  ConnectFault,
  VenueUnreachable,
  VenueRefused,
  PriceSourceFault,
  DirectoryLocked,
  LockUnusable,
  JournalDamaged,
  RecoveryRefused,
  SocketPathTooLong,
  OperatorRefusal,
];

/** Returns the one-line message of an expected fault; `undefined` for an internal error. */
export function startFaultLine(error: unknown): string | undefined {
  return FORESEEN.some((kind) => error instanceof kind) ? (error as Error).message : undefined;
}
