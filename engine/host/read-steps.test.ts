/** Reads take turns by steps; the thread's other work comes between them. */
import { expect, test } from 'vitest';
import { ReadSteps, type Steps } from './read-steps.ts';

/** Logs each step by name. */
function* read(name: string, steps: number, log: string[]): Steps<string> {
  for (let step = 1; step < steps; step += 1) {
    log.push(`${name}${step}`);
    yield;
  }
  log.push(`${name}${steps}`);
  return name;
}

/** `turn` runs one turn of the thread; nothing happens without it. */
function thread() {
  const scheduled: (() => void)[] = [];
  const log: string[] = [];
  const setImmediate = (turn: () => void) => {
    scheduled.push(turn);
    return { cancel: () => {} };
  };
  const reads = new ReadSteps<string>({ setImmediate });
  const add = (steps: Steps<string>) => reads.add(steps, (end) => log.push(`${end()} ended`));
  return { reads, log, add, scheduled, turn: () => scheduled.shift()?.() };
}

test('runs one step a turn, so that a group is folded between the steps of a page', () => {
  const { log, add, scheduled, turn } = thread();
  add(read('page', 3, log));
  expect(log).toEqual([]);
  turn();
  log.push('fold');
  turn();
  log.push('fold');
  turn();
  expect(log).toEqual(['page1', 'fold', 'page2', 'fold', 'page3', 'page ended']);
  expect(scheduled).toEqual([]);
});

test('ends a small read before the page that it interrupts', () => {
  const { log, add, turn } = thread();
  add(read('page', 10, log));
  turn();
  add(read('small', 1, log));
  turn();
  turn();
  expect(log).toEqual(['page1', 'page2', 'small1', 'small ended']);
});

test('ends only the read whose step throws', () => {
  const { reads, log, add, turn } = thread();
  const broken = (function* (): Steps<string> {
    yield;
    throw new Error('planted');
  })();
  reads.add(broken, (end) => {
    try {
      end();
    } catch (error) {
      log.push(String(error));
    }
  });
  add(read('other', 2, log));
  for (let turns = 0; turns < 4; turns += 1) turn();
  expect(log).toEqual(['other1', 'Error: planted', 'other2', 'other ended']);
});

test('completes all reads before the thread closes', () => {
  const { reads, log, add, turn } = thread();
  add(read('page', 2, log));
  add(read('small', 1, log));
  reads.finish();
  turn();
  expect(log).toEqual(['page1', 'small1', 'small ended', 'page2', 'page ended']);
});

test('refuses all reads at once with the reason', () => {
  const { reads, log, turn } = thread();
  const settle = (end: () => string) => {
    try {
      log.push(`${end()} ended`);
    } catch (reason) {
      log.push(`refused: ${reason}`);
    }
  };
  reads.add(read('page', 2, log), settle);
  reads.add(read('small', 1, log), settle);
  turn();
  reads.refuse('rebuild');
  turn();
  expect(log).toEqual(['page1', 'refused: rebuild', 'refused: rebuild']);
});
