/** Ends a wait for an update that never arrives. */

/** Far longer than an update takes on a busy machine. */
const PATIENCE_MS = 60_000;

export async function within<Result>(wait: Promise<Result>, what: string, patienceMs = PATIENCE_MS): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing came within ${patienceMs / 1_000} s`)), patienceMs);
  });
  try {
    return await Promise.race([wait, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
