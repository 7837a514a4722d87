/**
 * Waits for effects outside of the test's control (a thread, a socket, a process) by retrying a check until it passes. The limit
 * only ends a test that hangs: no test depends on the machine's speed.
 */
import { vi } from 'vitest';

/** Longer than any wait on a machine whose cores are all busy. */
export const HANG_GUARD_MS = 300_000;

/**
 * Resolves with the check's result, or rejects with its last error if it still fails after {@link HANG_GUARD_MS}. A promise that
 * the check returns is awaited. `intervalMs` is the pause between attempts.
 */
export function eventually<T>(
  check: () => T | Promise<T>,
  { intervalMs = 5 }: { readonly intervalMs?: number } = {},
): Promise<T> {
  return vi.waitFor(check, { timeout: HANG_GUARD_MS, interval: intervalMs });
}
