/** What the coordinator knows of the ledger by its last calls. */
import { expect, test } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { CommandRefused, type Ledger, LedgerBusy } from '#settlement/port/ledger.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Item } from './item.ts';
import { LedgerCalls } from './ledger-calls.ts';

const COMMAND: LedgerCommand = { step: 'development_issue', commandId: 'key-issue', amountAtoms: quoteAtoms(1) };
const ITEM: Item = { kind: 'ledger' };

test('is not busy any more when the ledger refuses the command that had no room', async () => {
  let failure: Error = new LedgerBusy('full');
  const ledger = { submit: () => Promise.reject(failure) } as unknown as Ledger;
  const calls = new LedgerCalls(ledger, new ManualTime(), () => undefined);
  await expect(calls.submit(COMMAND, ITEM)).rejects.toThrow('full');
  expect(calls.isBusy).toBe(true);
  failure = new CommandRefused('another command has this id');
  await expect(calls.submit(COMMAND, ITEM)).rejects.toThrow('another command');
  expect(calls.isBusy).toBe(false);
});
