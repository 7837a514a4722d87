/** Exceptions and rejections that nothing caught. What they left undone is unknown, so the process ends; but in order, and not where it stands. */

/** One that comes of writing a report, such as to a terminal that is gone, must not be reported for ever. */
const MAX_REPORTED = 10;

/** `end` stops what runs and then the process. It is called again with each that follows. */
export function onUncaught(report: (error: unknown, where: string) => void, end: () => void): void {
  let count = 0;
  process.on('uncaughtException', (error, origin) => {
    count += 1;
    const where =
      origin === 'unhandledRejection' ? 'a promise whose rejection nothing handles' : 'a callback, and nothing caught it';
    if (count <= MAX_REPORTED) report(error, where);
    end();
  });
}
