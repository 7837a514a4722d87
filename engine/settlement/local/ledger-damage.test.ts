/** Damage refuses the start and names the place. What a power cut leaves of the last frame is cut. */
import { expect, it } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { openLocal } from '#settlement/testing/local-subject.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import { quoteAtoms } from '#units/money.ts';
import { encodeFrame, NO_DIGEST, SECTOR_BYTES } from './frame.ts';
import { LOG_FILE } from './ledger-log.ts';
import { firstBody, frameBody } from './log-entry.ts';

const issue = (commandId: string): LedgerCommand => ({ step: 'development_issue', commandId, amountAtoms: quoteAtoms(1) });

/** The bytes of a log of several frames, one of them of many sectors. */
async function writtenLog(): Promise<Uint8Array> {
  const files = new PowerCutFiles();
  const ledger = await openLocal(files, new ManualTime());
  await ledger.submit(issue('a'));
  await Promise.all(Array.from({ length: 8 }, (_, index) => ledger.submit(issue(`${index}`.repeat(120)))));
  await ledger.close();
  return files.contents().get(LOG_FILE)!;
}

const openBytes = (bytes: Uint8Array) => openLocal(new PowerCutFiles(undefined, new Map([[LOG_FILE, bytes]])), new ManualTime());

it('refuses any flipped bit and names its sector', async () => {
  const log = await writtenLog();
  for (let at = 0; at < log.length; at += 1) {
    const bytes = log.slice();
    bytes[at]! ^= 1 << (at % 8);
    const offset = at - (at % SECTOR_BYTES);
    await expect(openBytes(bytes), `byte ${at}`).rejects.toMatchObject({
      name: 'LedgerDamaged',
      offset,
      message: expect.stringContaining(`${LOG_FILE} at byte ${offset}:`),
    });
  }
});

it('refuses a blank, missing or moved sector that others follow', async () => {
  const log = await writtenLog();
  const sectors = log.length / SECTOR_BYTES;
  for (let number = 0; number < sectors - 1; number += 1) {
    const blank = log.slice();
    blank.fill(0, number * SECTOR_BYTES, (number + 1) * SECTOR_BYTES);
    await expect(openBytes(blank), `blank ${number}`).rejects.toMatchObject({ name: 'LedgerDamaged' });
    const missing = Buffer.concat([log.slice(0, number * SECTOR_BYTES), log.slice((number + 1) * SECTOR_BYTES)]);
    await expect(openBytes(missing), `missing ${number}`).rejects.toMatchObject({ name: 'LedgerDamaged' });
  }
});

it('cuts an incomplete last frame at any byte, and continues', async () => {
  const log = await writtenLog();
  for (const isZeroFilled of [false, true]) {
    for (let end = SECTOR_BYTES; end < log.length; end += 101) {
      const bytes = isZeroFilled ? log.slice().fill(0, end) : log.slice(0, end);
      const files = new PowerCutFiles(undefined, new Map([[LOG_FILE, bytes]]));
      const time = new ManualTime();
      const ledger = await openLocal(files, time);
      await ledger.submit(issue('next'.repeat(30)));
      await ledger.close();
      const { offset } = await (await openLocal(files.afterKill(), time)).head();
      expect(offset, `cut at ${end}`).toBeGreaterThan(0);
    }
  }
});

it('refuses a frame that belongs to another log', async () => {
  const log = await writtenLog();
  const { bytes } = encodeFrame(frameBody(null, [issue('z')]), 1, NO_DIGEST);
  const mixed = log.slice();
  mixed.set(bytes, SECTOR_BYTES);
  await expect(openBytes(mixed)).rejects.toMatchObject({ name: 'LedgerDamaged', offset: SECTOR_BYTES });
});

it('refuses a receipt that does not follow from its commands, another format, and an empty file', async () => {
  const first = encodeFrame(firstBody('other'), 0, NO_DIGEST);
  const submitted = encodeFrame(frameBody(null, [issue('a')]), 1, first.digest);
  const receipt = {
    commandId: 'a',
    step: 'development_issue',
    offset: 1,
    ledgerEventId: 'event-0',
    sequencedAtEpochMs: 1,
    outcome: 'sequenced_accepted',
    createdId: null,
  } as unknown as Parameters<typeof frameBody>[0];
  const forged = encodeFrame(frameBody(receipt, []), 2, submitted.digest);
  await expect(openBytes(Buffer.concat([first.bytes, submitted.bytes, forged.bytes]))).rejects.toMatchObject({
    name: 'LedgerDamaged',
    offset: 2 * SECTOR_BYTES,
    message: expect.stringContaining('the receipt of a does not follow'),
  });
  const format = encodeFrame(Buffer.from(JSON.stringify({ format: 'x', ledgerId: 'x' })), 0, NO_DIGEST);
  await expect(openBytes(format.bytes)).rejects.toThrow('its format is x');
  await expect(openBytes(new Uint8Array())).rejects.toMatchObject({ name: 'LedgerDamaged', offset: 0 });
});
