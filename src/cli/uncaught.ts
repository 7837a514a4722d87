/** Handles uncaught exceptions and rejections. They leave unknown work undone, so the process ends, but in order. */

/** Limits reports, since writing one may itself throw, such as to a closed terminal. */
const MAX_REPORTED = 10;

/** `end` stops what runs and then the process. It is called again for each further error. */
export function onUncaught(report: (error: unknown, where: string) => void, end: () => void): void {
  let count = 0;
  process.on('uncaughtException', (error, origin) => {
    count += 1;
    const where = origin === 'unhandledRejection' ? 'an unhandled rejection' : 'an uncaught exception';
    if (count <= MAX_REPORTED) report(error, where);
    end();
  });
}
