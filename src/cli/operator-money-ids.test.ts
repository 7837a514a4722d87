/** A key of the operator is the id of one movement of money, also when the venue has forgotten the response to it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { RunningTime } from '#time/testing/running-time.ts';
import { runOperatorCommand } from './operator-command.ts';

/** Longer than responses are stored. */
const LATER_MS = 25 * 3_600_000;

const { path: dataDirectory, remove } = temporaryDirectory();
const time = new RunningTime();
let venue: TestVenue;
beforeAll(async () => {
  venue = await startTestVenue(testConfig(dataDirectory), { ...time, clock: time.clock, steadyClock: time.steadyClock });
});
afterAll(async () => {
  await venue.stop();
  remove();
});

const run = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', dataDirectory]);
const data = async (line: string): Promise<Record<string, string>> => JSON.parse(await run(`${line} --json`));

/** Responses are forgotten by the time of the newest record. */
async function passDay(): Promise<void> {
  time.pass(LATER_MS);
  await run('account create');
}

test.each([
  ['account credit', (account: string) => `account credit ${account}`],
  ['account debit', (account: string) => `account debit ${account}`],
  ['insurance credit', () => 'insurance credit'],
])('%s moves money once for its key, for good, and again under another key with the same reference', async (name, lineOf) => {
  const { accountId } = await data('account create --credit 100');
  const line = (amount: string, key: string) => `${lineOf(accountId!)} ${amount} --reference invoice-7 --key ${key}`;
  const balance = async () => [(await data(`account show ${accountId}`)).cash, (await data('venue status')).insurance];
  const first = await data(line('5', 'pay-1'));
  expect(await data(line('5', 'pay-1'))).toEqual(first);
  const after = await balance();
  await passDay();
  // The response is forgotten, so the other amount is no conflict.
  await expect(run(line('6', 'pay-1'))).rejects.toMatchObject({
    code: 'money_id_used',
    message: expect.stringMatching(
      new RegExp(`^${name.replace(' ', '.')} has moved money under the key pay-1 before, and nothing was moved again: .*--key`),
    ),
  });
  expect(await balance()).toEqual(after);
  await run(line('5', 'pay-2'));
  expect(await balance()).not.toEqual(after);
});

test('account create leaves no usable account if its credit was carried out under its key before', async () => {
  const line = 'account create --label once --credit 10 --key make-1';
  const { accountId } = await data(line);
  await passDay();
  await expect(run(line)).rejects.toMatchObject({ code: 'money_id_used' });
  const { accounts } = (await data('account list --limit 500')) as unknown as { accounts: Record<string, string>[] };
  expect(accounts.filter(({ label }) => label === 'once')).toMatchObject([
    { accountId, status: 'active', cash: '10' },
    { status: 'retired', cash: '0' },
  ]);
});

test.each([
  ['account credit', /the id of the movement of money, for good: .+money_id_used/],
  ['account debit', /the id of the movement of money, for good/],
  ['insurance credit', /the id of the movement of money, for good/],
  ['account create', /the id of the movement of money, for good/],
  ['api-key create', /the idempotency key: within a day/],
])('the help of %s says what its key is', async (name, text) => {
  expect((await run(`${name} --help`)).replace(/\s+/g, ' ')).toMatch(text);
});
