import { describe, expect, test } from 'vitest';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { type Submission, VenueHalted } from '#writer/port/submit.ts';
import { operatorAction } from './action.ts';
import { Operator } from './operator.ts';

/** An operator whose writer accepts every credit, and the submissions. */
function operatorOf(fault?: Error) {
  const submissions: Submission[] = [];
  const operator = new Operator({
    submit: async (submission) => {
      if (fault !== undefined) throw fault;
      submissions.push(submission);
      const posted: VenueEvent = {
        type: 'CashPosted',
        account: 1 as AccountOrdinal,
        kind: 'deposit',
        amountAtoms: quoteAtoms(5_000_000),
        cashAtoms: quoteAtoms(5_000_000),
      };
      const place = { sequence: submissions.length as Sequence, epochMs: epochMs(1), replayed: false };
      return { ...place, command: submission.command, events: [posted] };
    },
    createApiKey: () => expect.fail('no key was requested'),
    marketOf: () => undefined,
    markets: {
      all: () => [],
      defaultOf: () => undefined,
      faultOf: () => undefined,
      changedFixedField: () => undefined,
      startIndex: () => expect.fail('no market was created'),
    },
    report: () => expect.fail('no report was requested'),
    accounts: {
      list: () => expect.fail('no account was read'),
      show: () => expect.fail('no account was read'),
      apiKeys: () => expect.fail('no account was read'),
    },
    now: () => epochMs(1),
  });
  const credit = (more: object) =>
    operator.perform(operatorAction.parse({ action: 'account.credit', accountId: 'acct-1', amount: '5', ...more }));
  return { submissions, credit };
}

describe('credit', () => {
  test.each([
    [{ reference: 'invoice-7', key: 'pay-1' }, 'invoice-7', { moneyId: 'account.credit:pay-1' }],
    [{ key: 'pay-1' }, 'pay-1', { moneyId: 'account.credit:pay-1' }],
    [{}, 'operator', {}],
  ])('of %o is booked with the reference %s and an id of its key', async (requestedReference, reference, moneyId) => {
    const { submissions, credit } = operatorOf();
    expect(await credit(requestedReference)).toEqual({ accountId: 'acct-1', cash: '5' });
    expect(submissions.map(({ command }) => command)).toEqual([
      { type: 'CreditCash', account: 1, amountAtoms: 5_000_000, reference, ...moneyId },
    ]);
  });

  test('is recognised by its key and distinguished by its fields', async () => {
    const { submissions, credit } = operatorOf();
    for (const requestedReference of [{ key: 'a' }, { key: 'a' }, { key: 'b' }, { key: 'a', amount: '6' }, {}])
      await credit(requestedReference);
    const [first, same, otherKey, otherBody, keyless] = submissions.map(({ idempotency }) => idempotency);
    expect(same).toEqual(first);
    expect(otherKey?.keyDigest).not.toEqual(first?.keyDigest);
    expect(otherKey?.bodyDigest).toEqual(first?.bodyDigest);
    expect(otherBody?.keyDigest).toEqual(first?.keyDigest);
    expect(otherBody?.bodyDigest).not.toEqual(first?.bodyDigest);
    expect(keyless).toBeUndefined();
  });

  test('to a halted venue is refused without the cause', async () => {
    const { credit } = operatorOf(new VenueHalted('disk /secret/path'));
    await expect(credit({})).rejects.toMatchObject({ code: 'venue_halted', message: expect.not.stringContaining('secret') });
  });
});
