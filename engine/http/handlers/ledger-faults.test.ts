/**
 * Every fault of the external ledger at every step of setup, deposit and withdrawal, over HTTP: the exact statuses while the fault
 * lasts, and after it. The table of faults and statuses is complete: each cell is shown, or is listed as impossible with its reason.
 */
import { expect, test } from 'vitest';
import { walkWith } from '#http/testing/ledger-faults/cross.ts';
import { EXPECTED, expectedOf } from '#http/testing/ledger-faults/expected.ts';
import { FAULT_NAMES } from '#http/testing/ledger-faults/faults.ts';
import { IMPOSSIBLE } from '#http/testing/ledger-faults/impossible.ts';
import { STATUSES } from '#http/testing/ledger-faults/statuses.ts';
import { STEP_NAMES } from '#http/testing/ledger-faults/steps.ts';

/** Responses about something that a restored journal does not have. */
const NOT_FOUND = ['refused deposit_not_found', 'refused withdrawal_not_found'];

test.each(FAULT_NAMES)('shows the right statuses behind %s, and finishes every flow', async (fault) => {
  expect(await walkWith(fault)).toEqual(expectedOf(fault));
});

test('crosses all faults with all statuses', () => {
  const shown = FAULT_NAMES.flatMap((fault) =>
    expectedOf(fault).flatMap(({ during, later, after }) => [...during, ...later, ...after].map((it) => `${fault}: ${it}`)),
  );
  const seen = new Set(shown.filter((cell) => !NOT_FOUND.some((it) => cell.endsWith(it))));
  const cells = FAULT_NAMES.flatMap((fault) => STATUSES.map((status) => `${fault}: ${status}`));
  const impossible = IMPOSSIBLE.flatMap(({ faults, statuses }) =>
    faults.flatMap((fault) => statuses.map((status) => `${fault}: ${status}`)),
  );
  console.log(
    `${FAULT_NAMES.length} ledger faults × ${STATUSES.length} statuses = ${cells.length} cells: ${seen.size} seen, ` +
      `${impossible.length} impossible, at ${STEP_NAMES.length} steps`,
  );
  expect(Object.keys(EXPECTED)).toEqual(STEP_NAMES);
  expect([...seen, ...impossible].sort()).toEqual(cells.sort());
});
