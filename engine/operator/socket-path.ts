/**
 * The path of the operator's socket in a data directory. The system limits it to about a hundred bytes: the shorter of the
 * absolute path and the one relative to the working directory is used.
 */
import { join, relative, resolve } from 'node:path';

const SOCKET_FILE = 'operator.sock';
/** `sun_path` has 104 bytes on macOS and 108 on Linux, with a zero at the end. */
const MAX_PATH_BYTES = 103;

/** The data directory's path is too long for a socket. The message says so in one line. */
export class SocketPathTooLong extends Error {
  override readonly name = 'SocketPathTooLong';
}

export function operatorSocketPath(dataDirectory: string): string {
  const absolute = join(resolve(dataDirectory), SOCKET_FILE);
  const fromHere = relative(process.cwd(), absolute);
  const shorter = Buffer.byteLength(fromHere) < Buffer.byteLength(absolute) ? fromHere : absolute;
  if (Buffer.byteLength(shorter) <= MAX_PATH_BYTES) return shorter;
  throw new SocketPathTooLong(
    `the path of the data directory ${resolve(dataDirectory)} is too long for a socket in it: choose a shorter one, or start from nearer to it`,
  );
}
