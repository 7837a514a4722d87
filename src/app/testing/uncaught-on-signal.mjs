/**
 * For Node's `--import`: on SIGUSR2 throws an uncaught exception, or leaves a rejection unhandled if `OPENPERP_PLANTED` is
 * `rejection`.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const planted = new Error('planted');
    if (process.env.OPENPERP_PLANTED === 'rejection') Promise.reject(planted);
    else throw planted;
  });
}
