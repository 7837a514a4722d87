import { expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { DUE_CHECK_MS, startDueOrders } from './due-orders.ts';

/** A venue with so many turns due, whose next commands reject with the given errors. */
function stage(due: { turns: number }, errors: Error[] = []) {
  const time = new ManualTime();
  const submitted: string[] = [];
  const internalErrors: unknown[] = [];
  const submit = (async ({ command }) => {
    submitted.push(command.type);
    const error = errors.shift();
    if (error !== undefined) throw error;
    due.turns -= 1;
    return {};
  }) as Submit;
  const stop = startDueOrders({
    openOrders: { isDue: () => due.turns > 0 },
    submit,
    timers: time,
    onInternalError: (error) => internalErrors.push(error),
  });
  const tick = async () => {
    await time.advance(DUE_CHECK_MS);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  return { submitted, internalErrors, stop, tick };
}

test('submits one turn after the other until nothing is due', async () => {
  const due = { turns: 0 };
  const { submitted, stop, tick } = stage(due);
  await tick();
  expect(submitted).toEqual([]);
  due.turns = 3;
  await tick();
  expect(submitted).toEqual(['EndDueOrders', 'EndDueOrders', 'EndDueOrders']);
  await stop();
  due.turns = 1;
  await tick();
  expect(submitted).toHaveLength(3);
});

test('tries again at the next tick when the writer is busy or a turn fails', async () => {
  const failure = new Error('planted');
  const { submitted, internalErrors, tick } = stage({ turns: 1 }, [new WriterBusy(), failure]);
  await tick();
  await tick();
  expect(internalErrors).toEqual([failure]);
  await tick();
  expect(submitted).toHaveLength(3);
});

test('ends when the venue is halted', async () => {
  const { submitted, internalErrors, tick } = stage({ turns: 1 }, [new VenueHalted()]);
  await tick();
  await tick();
  expect([submitted.length, internalErrors]).toEqual([1, []]);
});
