/**
 * A funding whose venue is killed before and after each of its records. After a restart the client repeats its requests: the funding can be
 * finished, without another signature once it is approved, and the money has moved once.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { AgentOwner } from '#http/testing/agent-owner.ts';
import { OwnedStores, type StoreCopies } from '#http/testing/owned-stores.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import type { Command } from '#venue/command.ts';

const RECORDS = ['CreateAgentFunding', 'RecordPasskeyUse', 'ApproveAgentFunding', 'MoveAgentFunding'] as const;
/** A signature is needed again unless the approval is durable. */
const PLACES = [
  ...RECORDS.map((record) => [`before ${record}`, record, record === 'MoveAgentFunding' ? 0 : 1] as const),
  ['after MoveAgentFunding', undefined, 0] as const,
];

/** The stores of a venue with an owner that has an agent account, and its owner. */
let opened: StoreCopies;
let agent: AgentOwner;
beforeAll(async () => {
  const stores = new OwnedStores();
  const venue = await startVenue({ ...UNLIMITED, owned: stores, settles: false });
  agent = await AgentOwner.withoutLedger(venue);
  opened = stores.copies();
  await venue.close();
});

async function live(copies: StoreCopies): Promise<{ venue: VenueUnderTest; stores: OwnedStores; owner: AgentOwner }> {
  const stores = new OwnedStores(undefined, copies);
  const venue = await startVenue({ ...UNLIMITED, owned: stores, settles: false });
  return { venue, stores, owner: await agent.on(venue) };
}

const KEY = 'creation';

function create(owner: AgentOwner): Promise<VenueResponse> {
  return owner.owner.call('createAgentFunding', { params: owner.params, body: { amount: '40' }, idempotencyKey: KEY });
}

/** Repeats the requests until the funding is credited. Returns the number of signatures. */
async function finish(owner: AgentOwner): Promise<{ readonly transferId: string; readonly signatures: number }> {
  const { transferId } = (await create(owner)).body;
  let signatures = 0;
  for (;;) {
    const { status, challenge } = (await owner.initiate(transferId)).body;
    if (status === 'credited') return { transferId, signatures };
    expect(status).toBe('approval_required');
    signatures += 1;
    await owner.confirm(transferId, { action: 'complete', ...owner.owner.approval(challenge) });
  }
}

async function flow(owner: AgentOwner): Promise<void> {
  const { transferId } = (await create(owner)).body;
  if (transferId === undefined) return;
  await owner.complete(transferId);
}

describe.each(PLACES)('a kill %s', (_, record, signatures) => {
  test('leaves a funding that can be finished, and moves once', async () => {
    const first = await live(opened);
    let left: StoreCopies | undefined;
    const beforeSubmit = ({ type }: Command) => {
      if (type === record) left ??= first.stores.copies();
      // The process is gone: nothing after this reaches the disk that the next one finds.
      if (left !== undefined) throw new Error('killed');
    };
    await whilePlanted(first.venue.planted, { beforeSubmit }, () => flow(first.owner));
    left ??= first.stores.copies();
    await first.venue.close();

    const second = await live(left);
    const before = await second.owner.cash();
    expect(before).toEqual(record === undefined ? ['960', '40'] : ['1000', '0']);
    const finished = await finish(second.owner);
    expect(finished.signatures).toBe(signatures);
    expect(await second.owner.cash()).toEqual(['960', '40']);
    const done = await second.owner.status(finished.transferId);
    expect(done.funding.journalRecordDigest).toBe(`sha256:${await second.venue.recordDigest(done.funding.journalRecordOrdinal)}`);
    // Every request once more moves nothing.
    const sequence = second.venue.sequence();
    expect((await finish(second.owner)).signatures).toBe(0);
    expect([await second.owner.cash(), second.venue.sequence()]).toEqual([['960', '40'], sequence]);
    expect(second.venue.internalErrors).toEqual([]);
    const third = await live(second.stores.copies());
    expect(await third.owner.status(finished.transferId)).toEqual(done);
    await second.venue.close();
    await third.venue.close();
  });
});

test('has every record of a funding as a place', async () => {
  const { venue, owner } = await live(opened);
  const types: string[] = [];
  await whilePlanted(venue.planted, { beforeSubmit: ({ type }: Command) => types.push(type) }, () => flow(owner));
  expect(types).toEqual([...RECORDS]);
  await venue.close();
});
