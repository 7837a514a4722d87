/** Loses the newest records of a life: its journal is restored from an older copy, beside the ledger as it is. */
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import { Life } from './life.ts';

/** The journal is restored from the copy, and the operator accepts the entries of the lost records. */
export async function restore(first: Life, older: ReadonlyMap<string, Uint8Array>, time: ManualTime): Promise<Life> {
  await first.close();
  const { ledgerFiles } = first.files;
  const life = await Life.open({ time, ledgerFiles, journalFiles: new PowerCutFiles(undefined, older) });
  await life.until('transfers are off', () => !life.capability('transfers'));
  await life.acceptLedger();
  await life.carryOut({ type: 'SetCapability', capability: 'transfers', isOn: true });
  return life;
}
