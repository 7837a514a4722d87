/** Ends a wait for an update that never arrives. */

/** Far longer than an update takes on a busy machine. */
const TIMEOUT_MS = 60_000;

export async function within<Result>(wait: Promise<Result>, what: string, timeoutMs = TIMEOUT_MS): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing came within ${timeoutMs / 1_000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([wait, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
