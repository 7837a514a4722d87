/** Given to Node with `--import`: throws on SIGUSR2 what nothing catches, or rejects what nobody handles where `OPENPERP_PLANTED` is `rejection`. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.on('SIGUSR2', () => {
    const planted = new Error('planted');
    if (process.env.OPENPERP_PLANTED === 'rejection') Promise.reject(planted);
    else throw planted;
  });
}
