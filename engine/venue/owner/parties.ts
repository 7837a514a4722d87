/**
 * The commands of an owner's party on the external ledger: absent, allocating, allocated, active. Only an active party lets the
 * account trade.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { Refusal } from '#venue/refusal.ts';
import { isLedgerEvent, type LedgerEvent, ledgerEventLayout } from '#venue/transfer/ledger-steps.ts';
import { emitSettlement } from '#venue/transfer/settlement-fold.ts';
import { checkLedgerStart } from '#venue/transfer/settlement-gate.ts';
import type { Turn } from '#venue/turn.ts';
import { checkActiveOwner, checkOwner, emitOfOwner } from './owner-turn.ts';
import { isLedgerText, type PartyStatus } from './party.ts';

/** Durable before the venue asks the ledger for a party. */
export interface StartParty {
  readonly type: 'StartParty';
  readonly account: AccountOrdinal;
  /** Random, so that no id of a ledger command is ever used again, also after the restore of an older backup. */
  readonly ledgerKey: string;
}

/** The ledger allocated a party. */
export interface AllocateParty {
  readonly type: 'AllocateParty';
  readonly account: AccountOrdinal;
  readonly partyId: string;
  /** Of the receipt. Journals of earlier versions have none. */
  readonly ledgerEvent?: LedgerEvent;
}

/** The owner approved the allocated party: from here on the account may trade. */
export interface ActivateParty {
  readonly type: 'ActivateParty';
  readonly account: AccountOrdinal;
}

export interface CreateSigningWallet {
  readonly type: 'CreateSigningWallet';
  readonly account: AccountOrdinal;
  readonly walletId: string;
}

export type PartyCommand = StartParty | AllocateParty | ActivateParty | CreateSigningWallet;

export const PARTY_COMMANDS: CommandRules<PartyCommand> = {
  StartParty: {
    plan: planStart,
    commit: commitStart,
    layout: {
      tag: 31,
      fields: (io, it) => ({ type: 'StartParty', account: io.int(it.account), ledgerKey: io.text(it.ledgerKey) }),
    },
  },
  AllocateParty: {
    plan: planAllocation,
    commit: commitAllocation,
    layout: {
      tag: 32,
      fields: allocationLayout,
      extended: [
        {
          tag: 57,
          applies: ({ ledgerEvent }) => ledgerEvent !== undefined,
          fields: (io, it) => ({ ...allocationLayout(io, it), ledgerEvent: io.part(it.ledgerEvent, ledgerEventLayout) }),
        },
      ],
    },
  },
  ActivateParty: {
    plan: planActivation,
    commit: commitActivation,
    layout: {
      tag: 33,
      fields: (io, it) => ({ type: 'ActivateParty', account: io.int(it.account) }),
    },
  },
  CreateSigningWallet: {
    plan: planWallet,
    commit: commitWallet,
    layout: {
      tag: 34,
      fields: (io, it) => ({ type: 'CreateSigningWallet', account: io.int(it.account), walletId: io.text(it.walletId) }),
    },
  },
};

function allocationLayout(io: Cursor, it: AllocateParty): AllocateParty {
  return { type: 'AllocateParty', account: io.int(it.account), partyId: io.text(it.partyId) };
}

export function planStart(turn: Turn, { account, ledgerKey }: StartParty): Refusal | undefined {
  const refusal = checkActiveOwner(turn, account) ?? checkStatus(turn, account, 'absent');
  if (refusal !== undefined) return refusal;
  return isLedgerText(ledgerKey) ? checkLedgerStart(turn.state, 'parties') : { code: 'ledger_reference_invalid' };
}

export function commitStart(turn: Turn, { account, ledgerKey }: StartParty): void {
  emitOfOwner(turn, { type: 'PartyChanged', account, status: 'allocating', partyId: '', ledgerKey });
}

/** Also for an account that was retired meanwhile, and while the venue is halted: the ledger has allocated the party. */
export function planAllocation(turn: Turn, { account, partyId, ledgerEvent }: AllocateParty): Refusal | undefined {
  const refusal = checkOwner(turn, account) ?? checkStatus(turn, account, 'allocating');
  if (refusal !== undefined) return refusal;
  const isValid = isLedgerText(partyId) && (ledgerEvent === undefined || isLedgerEvent(ledgerEvent));
  if (!isValid) return { code: 'ledger_reference_invalid' };
  return turn.state.partyIds.has(partyId) ? { code: 'party_exists' } : undefined;
}

export function commitAllocation(turn: Turn, { account, partyId, ledgerEvent }: AllocateParty): void {
  const { ledgerKey } = turn.state.owners.of(account)!.party;
  turn.state.partyIds.add(partyId);
  emitOfOwner(turn, { type: 'PartyChanged', account, status: 'allocated', partyId, ledgerKey });
  if (ledgerEvent !== undefined) emitSettlement(turn, { type: 'LedgerEventSeen', ...ledgerEvent });
}

export function planActivation(turn: Turn, { account }: ActivateParty): Refusal | undefined {
  return checkActiveOwner(turn, account) ?? checkStatus(turn, account, 'allocated') ?? checkLedgerStart(turn.state, 'parties');
}

export function commitActivation(turn: Turn, { account }: ActivateParty): void {
  const { partyId, ledgerKey } = turn.state.owners.of(account)!.party;
  turn.state.account(account)!.partyId = partyId;
  emitOfOwner(turn, { type: 'PartyChanged', account, status: 'active', partyId, ledgerKey });
}

export function planWallet(turn: Turn, { account, walletId }: CreateSigningWallet): Refusal | undefined {
  const refusal = checkActiveOwner(turn, account) ?? checkStatus(turn, account, 'active');
  if (refusal !== undefined) return refusal;
  if (!isLedgerText(walletId)) return { code: 'ledger_reference_invalid' };
  if (turn.state.owners.of(account)!.walletId !== '') return { code: 'wallet_exists' };
  return checkLedgerStart(turn.state, 'parties');
}

export function commitWallet(turn: Turn, { account, walletId }: CreateSigningWallet): void {
  emitOfOwner(turn, { type: 'SigningWalletCreated', account, walletId });
}

function checkStatus({ state }: Turn, account: AccountOrdinal, expected: PartyStatus): Refusal | undefined {
  return state.owners.of(account)!.party.status === expected ? undefined : { code: 'party_state_conflict' };
}
