/**
 * Files in memory under a page cache that can lose power at any operation. Synced data survives a power cut. Each unsynced
 * sector, and each name that no directory sync covered, survives or is lost. Faults of a real disk can be planted.
 */
import type { Files, StorageFile } from '#writer/journal/files.ts';

/** The machine has no power: this operation and all later ones fail. */
export class PowerCut extends Error {
  override readonly name = 'PowerCut';
}

/** An operation that changes something, counted from 1. */
export interface Operation {
  readonly ordinal: number;
  readonly kind: 'create' | 'write' | 'datasync' | 'rename' | 'remove' | 'syncDirectory';
  readonly name: string;
}

/** The failure of an operation. `lie`: a sync reports success and does nothing. */
export type Fault = 'power_cut' | 'ENOSPC' | 'EIO' | 'lie' | undefined;
export type Faults = (operation: Operation) => Fault;

/**
 * The duration of an operation: it ends when the promise resolves, or at once if there is no promise. If the power is cut meanwhile, a
 * write has reached the cache, and a sync has done nothing.
 */
export type Pace = (kind: Operation['kind'], name: string) => Promise<void> | undefined;

/** A sync takes one iteration of the event loop, everything else no time. */
const NO_DELAY: Pace = (kind) => (kind === 'datasync' ? new Promise((resolve) => setImmediate(resolve)) : undefined);

/** What a cut leaves of writes that were not synced. */
export const TEARS = ['drop', 'keep', 'prefix', 'sectors'] as const;
export type Tear = (typeof TEARS)[number];

/** A number from 0 to below 1. */
export type Random = () => number;

const SECTOR_BYTES = 512;

interface Write {
  readonly bytes: Uint8Array;
  readonly position: number;
}

/** A file: what readers see, what the disk holds, and the writes between the two. */
interface Inode {
  name: string;
  cached: Uint8Array;
  stored: Uint8Array;
  unsynced: Write[];
}

type NameChange = (names: Map<string, Inode>) => void;

export class PowerCutFiles implements Files {
  readonly #faults: Faults;
  readonly #pace: Pace;
  readonly #cached: Map<string, Inode>;
  readonly #stored: Map<string, Inode>;
  #unsyncedNames: NameChange[] = [];
  #isOff = false;
  operations = 0;

  constructor(faults: Faults = () => undefined, stored: ReadonlyMap<string, Uint8Array> = new Map(), pace: Pace = NO_DELAY) {
    this.#faults = faults;
    this.#pace = pace;
    const inodes = [...stored].map(([name, bytes]): [string, Inode] => [
      name,
      { name, cached: bytes.slice(), stored: bytes.slice(), unsynced: [] },
    ]);
    this.#cached = new Map(inodes);
    this.#stored = new Map(inodes);
  }

  get hasPower(): boolean {
    return !this.#isOff;
  }

  /** Writes that no sync has covered. */
  get unsyncedWrites(): number {
    return [...this.#cached.values()].reduce((sum, { unsynced }) => sum + unsynced.length, 0);
  }

  /** The cached content by name. Tests inspect it, or damage it and build other files from it. */
  contents(): Map<string, Uint8Array> {
    return new Map([...this.#cached].map(([name, inode]) => [name, inode.cached.slice()]));
  }

  /** What the disk holds after a power cut. `tear` selects what happens to unsynced writes. */
  afterPowerCut(tear: Tear, random: Random): Map<string, Uint8Array> {
    const names = new Map(this.#stored);
    for (const change of this.#unsyncedNames) {
      if (tear === 'keep' || (tear !== 'drop' && random() < 0.5)) change(names);
    }
    return new Map([...names].map(([name, inode]) => [name, tornContent(inode, tear, random)]));
  }

  /** Cuts the power between two operations. Pending operations and all later ones fail. */
  cutPower(): void {
    this.#isOff = true;
  }

  /** Flips a bit on the disk and in the cache. */
  flipBit(name: string, position: number, bit: number): void {
    const inode = this.#cached.get(name);
    for (const content of new Set([inode?.cached, inode?.stored])) {
      if (content !== undefined && position < content.length) content[position] = content[position]! ^ (1 << bit);
    }
  }

  /** The files after the process was killed. The machine's cache survives, synced or not. */
  afterKill(faults?: Faults, pace?: Pace): PowerCutFiles {
    const files = new PowerCutFiles(faults, new Map(), pace);
    for (const [name, inode] of this.#cached) files.#cached.set(name, inode);
    for (const [name, inode] of this.#stored) files.#stored.set(name, inode);
    files.#unsyncedNames = this.#unsyncedNames;
    return files;
  }

  async list(): Promise<readonly string[]> {
    this.#requirePower();
    return [...this.#cached.keys()];
  }

  async open(name: string): Promise<StorageFile> {
    this.#requirePower();
    const inode = this.#cached.get(name);
    if (inode === undefined) throw systemError('ENOENT', name);
    return this.#file(inode);
  }

  async create(name: string): Promise<StorageFile> {
    this.#operate('create', name);
    const inode: Inode = { name, cached: new Uint8Array(), stored: new Uint8Array(), unsynced: [] };
    this.#changeNames((names) => names.set(name, inode));
    await this.#finish('create', name);
    return this.#file(inode);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#operate('rename', from);
    const inode = this.#cached.get(from);
    if (inode === undefined) throw systemError('ENOENT', from);
    inode.name = to;
    this.#changeNames((names) => {
      names.delete(from);
      names.set(to, inode);
    });
    await this.#finish('rename', from);
  }

  async remove(name: string): Promise<void> {
    this.#operate('remove', name);
    if (!this.#cached.has(name)) throw systemError('ENOENT', name);
    this.#changeNames((names) => names.delete(name));
    await this.#finish('remove', name);
  }

  async syncDirectory(): Promise<void> {
    const covered = new Set(this.#unsyncedNames);
    await this.#finish('syncDirectory', '.');
    if (this.#operate('syncDirectory', '.') === 'lie') return;
    for (const change of this.#unsyncedNames) if (covered.has(change)) change(this.#stored);
    this.#unsyncedNames = this.#unsyncedNames.filter((change) => !covered.has(change));
  }

  #file(inode: Inode): StorageFile {
    return {
      size: async () => inode.cached.length,
      read: async (into, position) => {
        this.#requirePower();
        const bytes = inode.cached.subarray(position, position + into.length);
        into.set(bytes);
        return bytes.length;
      },
      write: (bytes, position) => this.#write(inode, bytes, position),
      datasync: () => this.#datasync(inode),
      close: async () => undefined,
    };
  }

  /** A failed write may be partly applied. */
  async #write(inode: Inode, bytes: Uint8Array, position: number): Promise<void> {
    this.#requirePower();
    let fault: unknown;
    try {
      this.#operate('write', inode.name);
    } catch (cause) {
      fault = cause;
    }
    const taken = fault === undefined || fault instanceof PowerCut ? bytes.length : bytes.length >> 1;
    const write: Write = { bytes: bytes.slice(0, taken), position };
    inode.cached = written(inode.cached, write);
    inode.unsynced.push(write);
    if (fault !== undefined) throw fault;
    await this.#finish('write', inode.name);
  }

  /**
   * Stores the writes before it. A failed sync marks the cache as stored and never retries those bytes, as operating systems do.
   */
  async #datasync(inode: Inode): Promise<void> {
    const covered = new Set(inode.unsynced);
    await this.#finish('datasync', inode.name);
    let fault: Fault;
    try {
      fault = this.#operate('datasync', inode.name);
    } catch (cause) {
      if (!(cause instanceof PowerCut)) inode.unsynced = inode.unsynced.filter((write) => !covered.has(write));
      throw cause;
    }
    if (fault === 'lie') return;
    for (const write of inode.unsynced) if (covered.has(write)) inode.stored = written(inode.stored, write);
    inode.unsynced = inode.unsynced.filter((write) => !covered.has(write));
  }

  async #finish(kind: Operation['kind'], name: string): Promise<void> {
    const done = this.#pace(kind, name);
    if (done === undefined) return;
    await done;
    this.#requirePower();
  }

  #changeNames(change: NameChange): void {
    change(this.#cached);
    this.#unsyncedNames.push(change);
  }

  #operate(kind: Operation['kind'], name: string): Fault {
    this.#requirePower();
    this.operations += 1;
    const fault = this.#faults({ ordinal: this.operations, kind, name });
    if (fault === 'power_cut') {
      this.#isOff = true;
      this.#requirePower();
    }
    if (fault === 'ENOSPC' || fault === 'EIO') throw systemError(fault, name);
    return fault;
  }

  #requirePower(): void {
    if (this.#isOff) throw new PowerCut('the power is cut');
  }
}

function tornContent(inode: Inode, tear: Tear, random: Random): Uint8Array {
  switch (tear) {
    case 'drop':
      return inode.stored;
    case 'keep':
      return inode.unsynced.reduce(written, inode.stored);
    case 'prefix':
      return prefixOf(inode.unsynced, random).reduce(written, inode.stored);
    case 'sectors':
      return someSectors(inode, random);
  }
}

/** The first writes, the last of them in part. */
function prefixOf(writes: readonly Write[], random: Random): readonly Write[] {
  const total = writes.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let left = Math.floor(random() * (total + 1));
  return writes.map(({ bytes, position }) => {
    const remaining = bytes.subarray(0, left);
    left -= remaining.length;
    return { bytes: remaining, position };
  });
}

/** Any of the sectors that were written to, in any mix. */
function someSectors(inode: Inode, random: Random): Uint8Array {
  const all = inode.unsynced.reduce(written, inode.stored);
  let content = inode.stored;
  for (let position = 0; position < all.length; position += SECTOR_BYTES) {
    const isTouched = inode.unsynced.some(
      (write) => write.position < position + SECTOR_BYTES && position < write.position + write.bytes.length,
    );
    if (isTouched && random() < 0.5)
      content = written(content, { bytes: all.subarray(position, position + SECTOR_BYTES), position });
  }
  return content;
}

/** A copy of the content with a write applied. */
function written(content: Uint8Array, { bytes, position }: Write): Uint8Array {
  if (bytes.length === 0) return content;
  const changed = new Uint8Array(Math.max(content.length, position + bytes.length));
  changed.set(content);
  changed.set(bytes, position);
  return changed;
}

function systemError(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}
