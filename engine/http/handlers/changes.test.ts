/** What every operation that submits a command must do, on the real venue. The operations come from the declarations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isUnified, type Operation, storesResponses } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';
import type { Bot } from '#http/testing/venue-under-test.ts';
import { SCOPES } from '#venue/command.ts';
import { WriterBusy } from '#writer/port/submit.ts';

const STORING = OPERATION_IDS.filter((id) => storesResponses(OPERATIONS[id]));

let stage: Stage;
let reader: Bot;
beforeAll(async () => {
  stage = await setStage();
  reader = await stage.venue.keyOf(stage.bot, ['read']);
});
afterAll(() => stage.venue.close());

/** Their credential is in the body. */
const WITHOUT_BEARER: readonly OperationId[] = ['collectDeviceGrant', 'completeRegistration', 'completePasskeyLogin'];

test.each(OPERATION_IDS.filter((id) => !WITHOUT_BEARER.includes(id)))(
  '%s adds nothing to the journal for a key that may only read',
  async (id) => {
    const { venue } = stage;
    const valid = await stage.validRequest(id);
    const before = venue.sequence();
    await venue.call(id, { ...valid, ...(valid.bot && { bot: reader }) });
    expect(venue.sequence() - before, 'new records: the operation needs access bearer:trade').toBe(0);
  },
);

describe('an operation that stores its responses', () => {
  test.each(STORING)('returns the first one to a repeated key, and marks it as replayed: %s', async (id) => {
    const { venue } = stage;
    const valid = await stage.validRequest(id);
    const [first, before] = [await venue.call(id, valid), venue.sequence()];
    const second = await venue.call(id, valid);
    expect([second.status, second.body, second.headers.get('idempotency-replayed')]).toEqual([first.status, first.body, 'true']);
    expect(venue.sequence()).toBe(before);
  });

  test('takes a key that another operation has used', async () => {
    const { venue } = stage;
    // Those of /v2 use their keys for operations of /v1.
    const own = STORING.filter((id) => !isUnified(OPERATIONS[id]));
    const seen: [OperationId, number, string | null][] = [];
    for (const id of own) {
      const response = await venue.call(id, { ...(await stage.validRequest(id)), idempotencyKey: 'one-key' });
      seen.push([id, response.status, response.headers.get('idempotency-replayed')]);
    }
    expect(seen).toEqual(own.map((id) => [id, OPERATIONS[id].success.status, null]));
  });
});

test.each(OPERATION_IDS)('%s says that it carried out the request if the read model is rebuilt before it reads', async (id) => {
  const { venue } = stage;
  const by = (OPERATIONS[id] as Operation).access.startsWith('none') ? undefined : await venue.bot(100_000, SCOPES);
  const valid = await stage.validRequest(id, by);
  const before = venue.sequence();
  const beforeRead = () => {
    if (venue.sequence() > before) throw new WriterBusy('planted');
  };
  const { status, body } = await whilePlanted(venue.planted, { beforeRead }, () => venue.call(id, valid));
  if (status === OPERATIONS[id].success.status) return;
  expect(JSON.stringify(body), 'read the result with readAccepted').toContain('carried out the request');
});
