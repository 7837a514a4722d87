/** What a failed world reports: its seed, the one command that repeats it, and its last steps. */
import { expect, test } from 'vitest';
import { repeatable, WorldFailed } from './failed-world.ts';

const COMMAND = 'OPENPERP_WORLD_SEED=7 npm test';

test('names the seed, the command that repeats it and the last steps', async () => {
  const cause = new Error('an atom is missing');
  const failed = Promise.reject(new WorldFailed(7, cause, ['places an order', 'loses power']));
  await expect(repeatable(failed, COMMAND)).rejects.toMatchObject({
    message: `seed 7: an atom is missing\nto repeat: ${COMMAND}\nthe last steps:\nplaces an order\nloses power`,
    cause,
  });
});

test('changes neither an outcome nor another error', async () => {
  expect(await repeatable(Promise.resolve('done'), COMMAND)).toBe('done');
  const other = new Error('out of memory');
  await expect(repeatable(Promise.reject(other), COMMAND)).rejects.toBe(other);
});
