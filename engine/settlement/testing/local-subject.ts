/** Local ledgers for tests, on files in memory. */
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { ManualTime } from '#time/testing/manual-time.ts';

export const LEDGER_ID = 'test-ledger';

export function openLocal(files: PowerCutFiles, time: ManualTime, options: { maxLogBytes?: number } = {}): Promise<LocalLedger> {
  return LocalLedger.open({ files, clock: time, allowsIssue: true, newLedgerId: () => LEDGER_ID, ...options });
}

export async function freshLocal() {
  const time = new ManualTime();
  const files = new PowerCutFiles();
  return { time, files, ledger: await openLocal(files, time) };
}
