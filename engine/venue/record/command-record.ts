/** Commands as bytes: one tag, then the fields of that command in a fixed order. A tag is never used for anything else. */
import type { Command } from '#venue/command.ts';
import type { ByteReader, ByteWriter, Cursor } from './cursor.ts';
import { BLANK, MalformedRecord } from './cursor.ts';
import { MARKET_STATUSES, SIDES, scopeLayout, specificationLayout, termsLayout } from './parts.ts';

type Layouts = {
  readonly [Type in Command['type']]: (io: Cursor, it: Extract<Command, { type: Type }>) => Extract<Command, { type: Type }>;
};

const layouts: Layouts = {
  ListMarket: (io, it) => ({
    type: 'ListMarket',
    specification: specificationLayout(io, it.specification ?? BLANK),
    status: io.oneOf(MARKET_STATUSES, it.status),
  }),
  SetMarketStatus: (io, it) => ({
    type: 'SetMarketStatus',
    market: io.int(it.market),
    status: io.oneOf(MARKET_STATUSES, it.status),
  }),
  PublishIndexPrice: (io, it) => ({
    type: 'PublishIndexPrice',
    market: io.int(it.market),
    priceAtoms: io.int(it.priceAtoms),
    observedAtEpochMs: io.int(it.observedAtEpochMs),
  }),
  OpenAccount: (io, it) => ({
    type: 'OpenAccount',
    label: io.text(it.label),
    partyId: io.text(it.partyId),
    digestSeed: io.u32(it.digestSeed),
  }),
  RetireAccount: (io, it) => ({ type: 'RetireAccount', account: io.int(it.account) }),
  CreditCash: (io, it) => ({
    type: 'CreditCash',
    account: io.int(it.account),
    amountAtoms: io.int(it.amountAtoms),
    reference: io.text(it.reference),
  }),
  IssueApiKey: (io, it) => ({
    type: 'IssueApiKey',
    account: io.int(it.account),
    keyId: io.text(it.keyId),
    digest: io.text(it.digest),
    scopes: io.list(it.scopes, scopeLayout),
    label: io.text(it.label),
  }),
  RevokeApiKey: (io, it) => ({ type: 'RevokeApiKey', account: io.int(it.account), keyId: io.text(it.keyId) }),
  PlaceOrder: (io, it) => ({
    type: 'PlaceOrder',
    account: io.int(it.account),
    market: io.int(it.market),
    clientOrderId: io.text(it.clientOrderId),
    side: io.oneOf(SIDES, it.side),
    terms: termsLayout(io, it.terms ?? BLANK),
    reduceOnly: io.flag(it.reduceOnly),
    leverageX: io.u32(it.leverageX),
    idempotencyKey: io.text(it.idempotencyKey),
  }),
  CancelOrder: (io, it) => ({ type: 'CancelOrder', account: io.int(it.account), order: io.int(it.order) }),
};

/** The tags, by place. Append only: a place is part of every journal ever written. */
const TAGS: readonly Command['type'][] = [
  'ListMarket',
  'SetMarketStatus',
  'PublishIndexPrice',
  'OpenAccount',
  'RetireAccount',
  'CreditCash',
  'IssueApiKey',
  'RevokeApiKey',
  'PlaceOrder',
  'CancelOrder',
];

export function writeCommand(bytes: ByteWriter, command: Command): void {
  bytes.u8(TAGS.indexOf(command.type));
  (layouts[command.type] as (io: Cursor, it: Command) => Command)(bytes, command);
}

/** Throws `MalformedRecord` for bytes that are no command. */
export function readCommand(bytes: ByteReader): Command {
  const tag = bytes.u8();
  const type = TAGS[tag];
  if (type === undefined) throw new MalformedRecord(`no command has tag ${tag}`);
  return (layouts[type] as (io: Cursor, it: unknown) => Command)(bytes, BLANK);
}
