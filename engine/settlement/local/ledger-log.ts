/**
 * The append-only log of the local ledger: one file of frames. Opening cuts a torn last frame, which was never acknowledged, and
 * refuses any other damage with its place.
 */
import { appear, type Files, readWhole, removeUnfinished, type StorageFile } from '#writer/journal/files.ts';
import { decodeFrame, encodeFrame, type Frame, NO_DIGEST, SECTOR_BYTES, sectorState, sectorsOf } from './frame.ts';

export const LOG_FILE = 'ledger.log';

/** The log differs from what was written. The ledger does not start and changes nothing in it. */
export class LedgerDamaged extends Error {
  override readonly name = 'LedgerDamaged';
  /** In bytes. */
  readonly offset: number;

  constructor(offset: number, what: string) {
    super(`the external ledger is damaged in ${LOG_FILE} at byte ${offset}: ${what}; restore the file from a copy`);
    this.offset = offset;
  }
}

/** A frame's body and its place, as the log was found. */
export interface StoredFrame {
  readonly body: Buffer;
  /** In bytes. */
  readonly offset: number;
}

interface Walk {
  readonly frames: readonly (Frame & { readonly start: number })[];
  /** The number of the sector after the last whole frame. */
  readonly end: number;
}

export class LedgerLog {
  readonly #file: StorageFile;
  #digest: Uint8Array;
  #sectors: number;

  private constructor(file: StorageFile, digest: Uint8Array, sectors: number) {
    this.#file = file;
    this.#digest = digest;
    this.#sectors = sectors;
  }

  /** Opens the log, or makes one whose first frame is `firstBody`. Throws {@link LedgerDamaged}. */
  static async open(files: Files, firstBody: () => Buffer): Promise<{ log: LedgerLog; frames: readonly StoredFrame[] }> {
    await removeUnfinished(files);
    if (!(await files.list()).includes(LOG_FILE)) await create(files, firstBody());
    // A power cut may have followed the rename that made the file visible.
    await files.syncDirectory();
    const content = await readWhole(files, LOG_FILE);
    const { frames, end } = walk(content);
    const file = await files.open(LOG_FILE);
    try {
      await settleEnd(file, content, frames.at(-1)!.start, end);
    } catch (cause) {
      await file.close();
      throw cause;
    }
    return {
      log: new LedgerLog(file, frames.at(-1)!.digest, end),
      frames: frames.map(({ body, start }) => ({ body, offset: start * SECTOR_BYTES })),
    };
  }

  get bytes(): number {
    return this.#sectors * SECTOR_BYTES;
  }

  /** Resolves when the frame is durable. One call at a time; after a rejection the log must be opened again. */
  async append(body: Buffer): Promise<void> {
    const { bytes, digest } = encodeFrame(body, this.#sectors, this.#digest);
    await this.#file.write(bytes, this.bytes);
    await this.#file.datasync();
    this.#digest = digest;
    this.#sectors += bytes.length / SECTOR_BYTES;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function create(files: Files, body: Buffer): Promise<void> {
  const file = await appear(files, LOG_FILE, (made) => made.write(encodeFrame(body, 0, NO_DIGEST).bytes, 0));
  await file.close();
}

function walk(content: Buffer): Walk {
  const frames: (Frame & { start: number })[] = [];
  let end = 0;
  let digest = NO_DIGEST;
  for (let isTorn = false; !isTorn; ) {
    const frame = frameAt(content, end, digest);
    if (frame === undefined) isTorn = true;
    else {
      frames.push({ ...frame, start: end });
      digest = frame.digest;
      end += frame.sectors;
    }
  }
  if (end === 0) throw new LedgerDamaged(0, 'its first frame is missing');
  return { frames, end };
}

/** The frame at the sector; undefined if the log ends there, with nothing after it but what a power cut left of one frame. */
function frameAt(content: Buffer, start: number, before: Uint8Array): Frame | undefined {
  const state = sectorState(content, start);
  if (state === 'later') throw damaged(start, 'a frame starts in its middle');
  if (state !== 'first') return requireTorn(content, start, Number.POSITIVE_INFINITY);
  const end = start + sectorsOf(content, start);
  for (let number = start + 1; number < end; number += 1) {
    const found = sectorState(content, number);
    if (found === 'first') throw damaged(number, 'a frame starts before the one before it ends');
    if (found !== 'later') return requireTorn(content, start, end);
  }
  const frame = decodeFrame(content, start, before);
  if (frame === undefined) throw damaged(start, 'the digest of the frame does not follow the frame before it');
  return frame;
}

/** A power cut leaves some sectors of the last frame intact and loses the others. */
function requireTorn(content: Buffer, start: number, end: number): undefined {
  for (let number = start; number * SECTOR_BYTES < content.length; number += 1) {
    const state = sectorState(content, number);
    if (state === 'wrong') throw damaged(number, 'the check sum of the sector is wrong');
    if ((state === 'first' && number > start) || (state === 'later' && number >= end))
      throw damaged(start, 'the frame is incomplete, but others follow it');
  }
  return undefined;
}

function damaged(sector: number, what: string): LedgerDamaged {
  return new LedgerDamaged(sector * SECTOR_BYTES, what);
}

/**
 * Makes the last frame durable: the process may have been killed before its sync, or its sync may have failed. Blanks what is left
 * of a torn one, so that a later torn frame is not mixed with it. Also if it reads as blank: the sync of an earlier start may have failed.
 */
async function settleEnd(file: StorageFile, content: Buffer, lastStart: number, end: number): Promise<void> {
  await file.write(content.subarray(lastStart * SECTOR_BYTES, end * SECTOR_BYTES), lastStart * SECTOR_BYTES);
  const rest = content.subarray(end * SECTOR_BYTES);
  await file.write(Buffer.alloc(rest.length), end * SECTOR_BYTES);
  await file.datasync();
}
