/** The worker of a contender's thread: creates the contender, warms it up, and times it lap by lap. */
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { bookContender } from './book-contenders.ts';
import type { Assignment, Contender } from './contender.ts';
import type { ContenderDescription } from './contender-thread.ts';
import { turnContender } from './whole-turns-contenders.ts';

/** A contender is warm after this time, when its last lap was less than a tenth faster than the one before. */
const WARM_UP_MS = 1_000;
const COLD_SHARE = 0.9;
const MAX_WARM_UP_SAMPLES = 20;
/** Fast contenders repeat their work within a lap, so that cache leftovers of others weigh little. */
const SAMPLE_MS = 250;
const QUICK_MS = 1;

const makers: Record<string, (assignment: Assignment) => Contender> = { book: bookContender, 'whole-turns': turnContender };

const assignment = workerData as Assignment;
const collectGarbage = runInNewContext('gc') as () => void;
const contender = makers[assignment.part]!(assignment);
const introduction: ContenderDescription = {
  version: contender.version,
  manner: contender.manner,
  work: contender.work,
  outcome: contender.outcome(),
  firstSample: warmUp(),
};
parentPort!.on('message', () => parentPort!.postMessage(sample()));
parentPort!.postMessage(introduction);

/** Runs until nothing is left to compile, and returns the last lap. */
function warmUp(): number {
  const until = performance.now() + WARM_UP_MS;
  let last = sample();
  if (assignment.options.isQuick) return last;
  for (let laps = 1; laps < MAX_WARM_UP_SAMPLES; laps += 1) {
    const next = sample();
    if (performance.now() >= until && next >= last * COLD_SHARE) return next;
    last = next;
  }
  return last;
}

function sample(): number {
  const enough = assignment.options.isQuick ? QUICK_MS : SAMPLE_MS;
  let milliseconds = 0;
  let runs = 0;
  for (; milliseconds < enough; runs += 1) milliseconds += timedRun();
  return (milliseconds * 1e6) / (runs * contender.operations);
}

function timedRun(): number {
  // Before the books are built, not after: a collection would empty the processor's caches, unlike in a running venue.
  collectGarbage();
  contender.prepare();
  return contender.run();
}
