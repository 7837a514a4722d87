/**
 * Faults that one of the earlier audits could miss. Each is planted in the turns of a world, a crash and a recount, and found in
 * every run in which it can occur.
 */
import { beforeAll, expect, test } from 'vitest';
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import { Auditor } from '#simulation/auditor/auditor.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { AGENT_FAULTS } from './agent-faults.ts';
import { AGENT_FUNDING_FAULTS } from './agent-funding-faults.ts';
import { MONEY_FAULTS } from './money-faults.ts';
import { OWNER_MONEY_FAULTS } from './owner-money-faults.ts';
import type { Plant, PlantedFault } from './planted-fault.ts';
import type { RecordedRuns, RunName } from './recorded-runs.ts';
import { recordRuns } from './recorded-runs.ts';
import { TRADING_FAULTS } from './trading-faults.ts';
import { TRIGGER_FAULTS } from './trigger-faults.ts';

const FAULTS: readonly PlantedFault[] = [
  ...TRADING_FAULTS,
  ...MONEY_FAULTS,
  ...OWNER_MONEY_FAULTS,
  ...AGENT_FAULTS,
  ...AGENT_FUNDING_FAULTS,
  ...TRIGGER_FAULTS,
];
const NAMES: readonly RunName[] = ['world', 'crash', 'recount'];

let runs: RecordedRuns;

beforeAll(async () => {
  runs = await recordRuns();
});

/** What the auditor finds after a fault is planted at its first occasion; `undefined` if the fault has no occasion. */
function findingIn(turns: readonly CommittedRecord[], plant: Plant): AuditFailed | 'nothing' | undefined {
  const auditor = new Auditor();
  let isPlanted = false;
  try {
    for (const turn of turns) {
      const faulty: ReturnType<Plant> = isPlanted ? undefined : plant(turn, auditor);
      isPlanted ||= faulty !== undefined;
      for (const one of [faulty ?? turn].flat()) auditor.take(one);
    }
  } catch (cause) {
    expect(cause).toBeInstanceOf(AuditFailed);
    return cause as AuditFailed;
  }
  return isPlanted ? 'nothing' : undefined;
}

test.each(FAULTS)('finds $fault', ({ plant, check, says, isNotInCrash }) => {
  const found = NAMES.filter((name) => {
    const findings = runs[name].map((turns) => findingIn(turns, plant())).filter((finding) => finding !== undefined);
    for (const finding of findings) {
      expect(finding, name).toBeInstanceOf(AuditFailed);
      expect((finding as AuditFailed).message, name).toMatch(says);
      expect((finding as AuditFailed).check, name).toBe(check);
    }
    return findings.length > 0;
  });
  expect(found).toEqual(NAMES.filter((name) => name !== 'crash' || isNotInCrash !== true));
});
