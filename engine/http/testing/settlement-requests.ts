/**
 * Valid requests of the operations that set up a party or move money. The account must have an owner with an active party; what the
 * request needs is made first.
 */
import type { OperationId } from '#contract/operations.ts';
import type { SigningChallenge } from '#contract/signing.ts';
import { eventually } from '#time/testing/eventually.ts';
import { parseWithdrawalId, renderWithdrawalId } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Bot, DrivenVenue, Request } from './driven-venue.ts';

type Venue = Pick<DrivenVenue, 'call' | 'operate' | 'signIn'>;
export type MadeRequest = Pick<Request, 'params' | 'body' | 'idempotencyKey'>;
/** What the owner's passkey sends for a challenge. */
export type Approve = (challenge: SigningChallenge, by: Bot) => object;

/** By operation. */
export function settlementRequests(approve: Approve): {
  readonly [Id in OperationId]?: (venue: Venue, by: Bot) => Promise<MadeRequest>;
} {
  /** With the approval, if one is due. */
  const signed = async (venue: Venue, by: Bot, id: OperationId): Promise<object> => {
    const { challenge } = (await asOwner(venue, by, id, {})).body;
    return challenge === null ? {} : { approval: approve(challenge, by) };
  };
  return {
    completeParty: async (venue, by) => {
      const started = await eventually(async () => {
        const { body } = await asOwner(venue, by, 'startParty');
        if (body.status === 'allocating') throw new Error('the ledger has not allocated the party');
        return body;
      });
      // An active party needs no approval: any well-formed one does.
      const { challenge } = started.challenge === null ? (await venue.call('startPasskeyLogin', { body: {} })).body : started;
      return { params: of(by), body: approve(challenge, by) };
    },
    createSigningWallet: async (venue, by) => ({ params: of(by), body: await signed(venue, by, 'createSigningWallet') }),
    consentParty: async (venue, by) => ({ params: of(by), body: await signed(venue, by, 'consentParty') }),
    prepareDeposit: async (venue, by) => ({ params: of(by), body: { fundingIntentId: await fundingIntent(venue, by) } }),
    confirmDeposit: async (venue, by) => {
      const { depositId } = (await asOwner(venue, by, 'prepareDeposit', { fundingIntentId: await fundingIntent(venue, by) }))
        .body;
      return { params: of(by), body: { action: 'initiate', depositId } };
    },
    requestWithdrawal: async (venue, by) => {
      await blockOpen(venue, by);
      keys += 1;
      const destination = await partyOf(venue, by);
      const body = { accountId: by.accountId, asset: 'USD.E', amount: `1.00${1_000 + keys}`, destination };
      return { body, idempotencyKey: `withdrawal-${keys}` };
    },
    getWithdrawal: async (venue, by) => ({ params: { withdrawalId: await requested(venue, by) } }),
    authorizeWithdrawal: async (venue, by) => {
      const withdrawalId = await requested(venue, by);
      await venue.operate({ type: 'ReserveOnLedger', withdrawal: parseWithdrawalId(withdrawalId)! }, 'WithdrawalStatusChanged');
      return { params: { withdrawalId } };
    },
    confirmWithdrawal: async (venue, by) => {
      const withdrawalId = await requested(venue, by);
      keys += 1;
      return { params: { withdrawalId }, body: { action: 'initiate', withdrawalId }, idempotencyKey: `confirm-${keys}` };
    },
  };
}

let keys = 0;

const of = ({ accountId }: Bot) => ({ accountId });

async function asOwner(venue: Venue, by: Bot, id: OperationId, body?: object) {
  return venue.call(id, { bot: await venue.signIn(by), params: of(by), ...(body && { body }) });
}

async function fundingIntent(venue: Venue, by: Bot): Promise<string> {
  return (await asOwner(venue, by, 'claimFaucetGrant')).body.fundingIntentId;
}

async function partyOf(venue: Venue, by: Bot): Promise<string> {
  return (await asOwner(venue, by, 'getParty')).body.partyId;
}

/** A new withdrawal that waits for the ledger. */
async function requested(venue: Venue, by: Bot): Promise<string> {
  await blockOpen(venue, by);
  keys += 1;
  const { account } = by;
  await venue.operate({ type: 'CreditCash', account, amountAtoms: quoteAtoms(1), reference: 'to withdraw' }, 'CashPosted');
  const request = {
    type: 'RequestWithdrawal',
    account,
    amountAtoms: quoteAtoms(1),
    destination: await partyOf(venue, by),
  } as const;
  const ledgerKey = String(keys).padStart(32, '0');
  const command = { ...request, ledgerKey, idempotencyKey: `key-${keys}` };
  return renderWithdrawalId((await venue.operate(command, 'WithdrawalRequested')).withdrawal);
}

/** An account has a maximum number of open withdrawals. */
async function blockOpen(venue: Venue, by: Bot): Promise<void> {
  const params = of(by);
  const { body } = await venue.call('listTransfers', {
    bot: await venue.signIn(by),
    params,
    query: { kind: 'withdrawal', limit: '100' },
  });
  for (const { transferId, status } of body.transfers)
    if (['requested', 'reserved', 'authorized'].includes(status))
      await venue.operate(
        { type: 'BlockWithdrawal', withdrawal: parseWithdrawalId(transferId)!, reason: 'test' },
        'WithdrawalBlocked',
      );
}
