/**
 * Waits for what happens outside of the test's control (a thread, a socket, a process) by trying a check until it passes.
 * The limit only ends a test that hangs: no test depends on how fast the machine is.
 */
import { vi } from 'vitest';

/** Longer than any wait on a machine whose cores are all busy. */
export const HANG_GUARD_MS = 300_000;

/**
 * Resolves with what the check returns, or rejects with the check's last error when it still fails after {@link HANG_GUARD_MS}.
 * A check that returns a promise is awaited. `intervalMs` is the pause between tries.
 */
export function eventually<T>(
  check: () => T | Promise<T>,
  { intervalMs = 5 }: { readonly intervalMs?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout: HANG_GUARD_MS, interval: intervalMs });
}
