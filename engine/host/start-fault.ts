/** Why a venue could not start, in one line for people: what is wrong and what to do. The attempt changed nothing. */
import { fileAdvice } from './file-advice.ts';

export class StartFault extends Error {
  override readonly name = 'StartFault';
}

/**
 * Runs work that needs the data directory; an error of the file system becomes a {@link StartFault} that names it and says what
 * to do.
 */
export async function inDirectory<Result>(dataDirectory: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const what = `the data directory ${dataDirectory} cannot be used: ${error.message}`;
    throw new StartFault(`${what}: ${fileAdvice(error)}`, { cause: error });
  }
}

/** Listens; an unavailable port becomes a {@link StartFault} that says which option changes it. */
export async function onPort<Result>(port: number, option: string, listen: () => Promise<Result>): Promise<Result> {
  try {
    return await listen();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (error.code === 'EADDRINUSE')
      throw new StartFault(`port ${port} is taken: stop what uses it, or choose another with ${option}`, { cause: error });
    throw new StartFault(`cannot listen on port ${port}: ${error.message}`, { cause: error });
  }
}

/** Errors of the file system, the network and SQLite; their messages are one line. */
function isSystemError(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    ('syscall' in error || error.code === 'ERR_SQLITE_ERROR')
  );
}
