/** The inside of a contender's thread: it makes the contender, warms it up, and takes its time lap by lap. */
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { bookContender } from './book-contenders.ts';
import type { Assignment, Contender } from './contender.ts';
import type { Introduction } from './contender-thread.ts';
import { turnContender } from './whole-turns-contenders.ts';

const WARM_UP_MS = 1_500;
/** Fast contenders do their work several times in a lap: below this a timer's grain and a pause weigh too much. */
const LAP_MS = 60;
const QUICK_MS = 1;

const makers: Record<string, (assignment: Assignment) => Contender> = { book: bookContender, 'whole-turns': turnContender };

const assignment = workerData as Assignment;
const collectGarbage = runInNewContext('gc') as () => void;
const contender = makers[assignment.part]!(assignment);
const introduction: Introduction = {
  version: contender.version,
  manner: contender.manner,
  outcome: contender.outcome(),
  firstLap: warmUp(),
};
parentPort!.on('message', () => parentPort!.postMessage(lap()));
parentPort!.postMessage(introduction);

/** Runs until the compiler has nothing left to do, and then a lap. */
function warmUp(): number {
  const until = performance.now() + (assignment.options.isQuick ? QUICK_MS : WARM_UP_MS);
  while (performance.now() < until) timedRun();
  return lap();
}

function lap(): number {
  const enough = assignment.options.isQuick ? QUICK_MS : LAP_MS;
  let milliseconds = 0;
  let runs = 0;
  for (; milliseconds < enough; runs += 1) milliseconds += timedRun();
  return (milliseconds * 1e6) / (runs * contender.operations);
}

function timedRun(): number {
  contender.prepare();
  collectGarbage();
  const start = performance.now();
  contender.run();
  return performance.now() - start;
}
