/**
 * Seeded damage to one file of a data directory, except the segments of the journal and the log of the external ledger, whose damage
 * refuses the start: every file, in every way that disks, people and programs damage files.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PROJECTION_FILE } from '#host/ledger.ts';
import { LOG_FILE as LEDGER_LOG } from '#settlement/local/ledger-log.ts';
import type { Random } from '#simulation/seeded-random.ts';
import { changeRow } from './changed-rows.ts';

export interface Damage {
  /** The file and the damage, for people. */
  readonly name: string;
  /** `operator.sock`, `replay/` and `journal/snapshot` stand for files with varying names. */
  readonly file: string;
  /** The start may be refused, in a line that says what to do: only the owner knows what the file is. */
  readonly mayRefuse: boolean;
}

/**
 * Damages the file at a path; `others` has the other files. Returns a description, or undefined if this damage does not apply to
 * the file.
 */
type Way = (path: string, random: Random, place: DamagePlace) => string | undefined;

export interface DamagePlace {
  readonly directory: string;
  /** An older copy of the same directory. */
  readonly older: string;
}

const PAGE_BYTES = 4_096;
const SOCKET = 'operator.sock';
const LOCK = 'lock';

const rewritten =
  (change: (bytes: Buffer, random: Random) => string | undefined): Way =>
  (path, random) => {
    const bytes = readFileSync(path);
    const description = bytes.length === 0 ? undefined : change(bytes, random);
    if (description !== undefined) writeFileSync(path, bytes);
    return description;
  };

const flipBit = rewritten((bytes, random) => {
  const at = below(bytes.length, random);
  const bit = below(8, random);
  bytes[at]! ^= 1 << bit;
  return `bit ${bit} of byte ${at} of ${bytes.length} is flipped`;
});

const zeroPage = rewritten((bytes, random) => {
  const page = below(Math.ceil(bytes.length / PAGE_BYTES), random);
  const range = bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  if (range.every((byte) => byte === 0)) return undefined;
  range.fill(0);
  return `page ${page} is zero`;
});

const garblePage = rewritten((bytes, random) => {
  const page = below(Math.ceil(bytes.length / PAGE_BYTES), random);
  for (let at = page * PAGE_BYTES; at < Math.min(bytes.length, (page + 1) * PAGE_BYTES); at += 1) bytes[at] = below(256, random);
  return `page ${page} is garbled`;
});

const swapPages = rewritten((bytes, random) => {
  const count = Math.floor(bytes.length / PAGE_BYTES);
  if (count < 2) return undefined;
  const [from, to] = [below(count, random), below(count, random)];
  const [left, right] = [from, to].map((page) => bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)) as [Buffer, Buffer];
  if (Buffer.compare(left, right) === 0) return undefined;
  const original = Buffer.from(left);
  left.set(right);
  right.set(original);
  return `pages ${from} and ${to} are swapped`;
});

const truncate: Way = (path, random) => {
  const { length } = readFileSync(path);
  if (length === 0) return undefined;
  const to = below(length, random);
  truncateSync(path, to);
  return `cut to ${to} of ${length} bytes`;
};

const empty: Way = (path) => {
  if (readFileSync(path).length === 0) return undefined;
  truncateSync(path, 0);
  return 'emptied';
};

const append: Way = (path, random) => {
  const garbage = Buffer.from(Array.from({ length: 1 + below(2 * PAGE_BYTES, random) }, () => below(256, random)));
  appendFileSync(path, garbage);
  return `${garbage.length} bytes are appended`;
};

const remove: Way = (path) => {
  rmSync(path);
  return 'deleted';
};

const emptyDirectory: Way = (path) => {
  rmSync(path, { force: true });
  mkdirSync(path);
  return 'replaced by an empty directory';
};

const fullDirectory: Way = (path) => {
  emptyDirectory(path, () => 0, { directory: '', older: '' });
  writeFileSync(join(path, 'own.txt'), 'own');
  return 'replaced by a directory with a file';
};

const older: Way = (path, _, place) => {
  const before = join(place.older, path.slice(place.directory.length + 1));
  const from = existsSync(before) ? before : olderSnapshot(path, place.older);
  if (from === undefined || Buffer.compare(readFileSync(from), readFileSync(path)) === 0) return undefined;
  cpSync(from, path);
  return 'replaced by an older copy';
};

const swap: Way = (path, random, { directory }) => {
  const others = damageableFiles(directory).filter((other) => join(directory, other) !== path);
  const other = others[below(others.length, random)]!;
  const aside = join(directory, 'aside');
  renameSync(path, aside);
  renameSync(join(directory, other), path);
  renameSync(aside, join(directory, other));
  return `swapped with ${other}`;
};

const changedRow: Way = (path, random) => `without the sums, ${changeRow(path, false, random)}`;
const changedRowWithSums: Way = (path, random) => `with the sums, ${changeRow(path, true, random)}`;

const WAYS: readonly Way[] = [
  flipBit,
  flipBit,
  flipBit,
  zeroPage,
  garblePage,
  swapPages,
  truncate,
  empty,
  append,
  remove,
  emptyDirectory,
  fullDirectory,
  older,
  swap,
];
/** For the projection's database, mostly rows. */
const WAYS_OF_PROJECTION = [...WAYS, ...Array.from({ length: 8 }, () => [changedRow, changedRowWithSums]).flat()];

/** Damages one file of the directory; the same seed gives the same damage. */
export function damageOneFile(place: DamagePlace, random: Random): Damage {
  for (;;) {
    const files = [...damageableFiles(place.directory), SOCKET, PROJECTION_FILE, PROJECTION_FILE];
    const file = files[below(files.length, random)]!;
    const ways = waysOf(file);
    const way = ways[below(ways.length, random)]!;
    const description = way(join(place.directory, file), random, place);
    if (description === undefined) continue;
    return { name: `${file}: ${description}`, file: kindOf(file), mayRefuse: file === LOCK && way === fullDirectory };
  }
}

function waysOf(file: string): readonly Way[] {
  if (file === SOCKET) return [emptyDirectory, fullDirectory, append];
  return file === PROJECTION_FILE ? WAYS_OF_PROJECTION : WAYS;
}

function kindOf(file: string): string {
  return file.replace(/^replay\/.*/, 'replay/').replace(/^journal\/snapshot.*/, 'journal/snapshot');
}

/** In a fixed order. */
function damageableFiles(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.journal') && entry.name !== LEDGER_LOG)
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
}

function olderSnapshot(path: string, olderDirectory: string): string | undefined {
  if (!/snapshot/.test(path)) return undefined;
  const journal = join(olderDirectory, 'journal');
  const name = readdirSync(journal).find((it) => it.startsWith('snapshot'));
  return name === undefined ? undefined : join(journal, name);
}

function below(bound: number, random: Random): number {
  return Math.floor(random() * bound);
}
