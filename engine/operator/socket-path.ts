/**
 * Where the operator's socket of a data directory is. The system allows its path about a hundred bytes only: of the
 * absolute path and the one from the working directory the shorter is taken.
 */
import { join, relative, resolve } from 'node:path';

const SOCKET_FILE = 'operator.sock';
/** `sun_path` holds 104 bytes on macOS and 108 on Linux, with a zero at the end. */
const LONGEST_PATH_BYTES = 103;

/** The data directory's path is too long to hold a socket. The message says so in one line. */
export class SocketPathTooLong extends Error {
  override readonly name = 'SocketPathTooLong';
}

export function operatorSocketPath(dataDirectory: string): string {
  const absolute = join(resolve(dataDirectory), SOCKET_FILE);
  const fromHere = relative(process.cwd(), absolute);
  const shorter = Buffer.byteLength(fromHere) < Buffer.byteLength(absolute) ? fromHere : absolute;
  if (Buffer.byteLength(shorter) <= LONGEST_PATH_BYTES) return shorter;
  throw new SocketPathTooLong(
    `the path of the data directory ${resolve(dataDirectory)} is too long for a socket in it: choose a shorter one, or start from nearer to it`,
  );
}
