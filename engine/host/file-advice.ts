/** The advice for an error of the file system or of SQLite, by its code. Every message about an unusable file ends with it. */

const OF_FILE = 'move what lies in the place of that file away, put the file back from a backup if there was one, and try again';
const OF_OWNER = 'give the data directory and all that is in it to the user that runs the venue (chown -R)';
const OF_ROOM = 'make room on the disk, and try again';
const OF_OPEN_FILES = 'allow more open files (ulimit -n), and try again';
const OF_PROGRAM = 'end the other program that uses that file, and try again';
const OF_DISK = 'check the disk, restore a backup of the data directory if the file is lost, and try again';
const OF_READ_ONLY = 'make that file and its file system writable, and try again';
const OTHERWISE = 'mend that, and try again';

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: `${OF_OWNER}, and try again`,
  EPERM: `${OF_OWNER}, make it writable (chattr -R -i), and try again`,
  EROFS: OF_READ_ONLY,
  ELOOP: 'a symbolic link there leads back to itself: remove it, put back the file or directory that it replaced, and try again',
  ENOENT:
    'a link or a directory on the way there leads nowhere: put back what it leads to, such as a disk that is not mounted, and try again',
  EISDIR: OF_FILE,
  EFTYPE: OF_FILE,
  ENXIO: OF_FILE,
  ENOTDIR: 'a directory belongs there: move what lies in its place away, or choose another data directory, and try again',
  ENAMETOOLONG: 'choose a data directory with a shorter path',
  ENOSPC: OF_ROOM,
  EDQUOT: OF_ROOM,
  EMFILE: OF_OPEN_FILES,
  ENFILE: OF_OPEN_FILES,
  EBUSY: OF_PROGRAM,
  EIO: OF_DISK,
};

/** By SQLite's error codes: busy, locked, read-only, input or output, full. */
const SQLITE_ADVICE: Readonly<Record<number, string>> = {
  5: OF_PROGRAM,
  6: OF_PROGRAM,
  8: OF_READ_ONLY,
  10: OF_DISK,
  13: OF_ROOM,
};
/** The higher bits of a code are details. */
const SQLITE_RESULT = 0xff;

/** Completes a message after its colon. */
export function fileAdvice({ code, errcode }: { readonly code: string; readonly errcode?: unknown }): string {
  const advice = typeof errcode === 'number' ? SQLITE_ADVICE[errcode & SQLITE_RESULT] : ADVICE[code];
  return advice ?? OTHERWISE;
}
