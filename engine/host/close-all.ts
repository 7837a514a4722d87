/**
 * Disposes of a stack of resources, the last first. If several fail to close, throws the first failure itself: start faults, exit codes
 * and logs depend on the error's class and message, and `SuppressedError` has neither.
 */
export async function closeAll(resources: AsyncDisposableStack): Promise<void> {
  try {
    await resources.disposeAsync();
  } catch (error) {
    throw firstFailure(error);
  }
}

/** Each later failure wraps those before it as `suppressed`. */
function firstFailure(error: unknown): unknown {
  let first = error;
  while (first instanceof SuppressedError) first = first.suppressed;
  return first;
}
