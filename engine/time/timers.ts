/** The timers port: product code defers and sleeps only through it, so that a test can control the time. */

export interface Timer {
  /** Prevents later runs of the task. No effect after it ran. */
  cancel(): void;
}

export interface TimerOptions {
  /** False: the timer alone does not keep the process alive. */
  readonly ref?: boolean;
}

export interface Timers {
  /** Runs the task once, after at least the delay. */
  setTimeout(task: () => void, delayMs: number, options?: TimerOptions): Timer;
  /** Runs the task every period until the timer is cancelled. */
  setInterval(task: () => void, periodMs: number, options?: TimerOptions): Timer;
  /** Runs the task in the next iteration of the event loop, after the pending I/O. */
  setImmediate(task: () => void): Timer;
}

export interface SleepOptions extends TimerOptions {
  /** Ends the sleep early: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export function sleep(timers: Timers, delayMs: number, { signal, ...options }: SleepOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = timers.setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      delayMs,
      options,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves in the next iteration of the event loop. */
export function yieldToEventLoop(timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    timers.setImmediate(resolve);
  });
}

/** Resolves to undefined if the promise has not settled within the delay. */
export async function withTimeout<Value>(
  timers: Timers,
  promise: Promise<Value>,
  delayMs: number,
  options?: TimerOptions,
): Promise<Value | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = timers.setTimeout(() => late.resolve(undefined), delayMs, options);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    timer.cancel();
  }
}

/** Aborts with a `TimeoutError` after the delay, as `AbortSignal.timeout` does. The caller cancels it when done. */
export function timeoutSignal(timers: Timers, delayMs: number): Timer & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException(`no response within ${delayMs} ms`, 'TimeoutError'));
  const { cancel } = timers.setTimeout(late, delayMs, { ref: false });
  return { signal: controller.signal, cancel };
}
