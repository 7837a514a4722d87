/**
 * A venue on which every operation has data, and a valid request for each, derived from its declaration alone. A new operation
 * needs nothing here as long as its field names are known.
 */
import * as z from 'zod';
import type { Rate } from '#contract/limits.ts';
import type { Operation } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { MAX_TICKET_FAMILIES } from '#contract/realtime-limits.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '#http/server/ports.ts';
import { SCOPES } from '#venue/command.ts';
import type { Bot, DrivenVenue, Request, VenueResponse } from './driven-venue.ts';
import { approveGrant, OWNER_REQUESTS } from './owner-requests.ts';
import { type JsonSchema, type ValuesByField, validValue, withNamed } from './valid-value.ts';
import type { VenueUnderTest } from './venue-under-test.ts';
import { startVenue } from './venue-under-test.ts';

export const OPERATION_IDS = Object.keys(OPERATIONS) as OperationId[];

/** Limits in which every rate is that one. */
export function everyRate(rate: Rate): HttpLimits {
  const within = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if ('perSecond' in value) return rate;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, within(inner)]));
  };
  return within(DEFAULT_HTTP_LIMITS) as HttpLimits;
}

/** No test exceeds a rate limit, or the share of one network in a store. */
export const UNLIMITED = { ...everyRate({ burst: 1_000_000, perSecond: 1 }), maxPerOwner: 10_000 };

export interface Stage<Venue extends DrivenVenue = VenueUnderTest> {
  readonly venue: Venue;
  /** Has a position, open and closed orders, and a key with all permissions. */
  readonly bot: Bot;
  readonly other: Bot;
  /** A new request that succeeds: if it names an order, that order is open. */
  validRequest(id: OperationId, by?: Bot): Promise<Request>;
  /** A valid realtime ticket. */
  ticket(): Promise<string>;
}

export async function setStage(limits: Parameters<typeof startVenue>[0] = {}): Promise<Stage> {
  return stageOn(await startVenue({ ...UNLIMITED, ...limits }));
}

export async function stageOn<Venue extends DrivenVenue>(venue: Venue): Promise<Stage<Venue>> {
  const [bot, other] = [await venue.bot(100_000, SCOPES), await venue.bot(100_000, SCOPES)];
  await venue.operate({ type: 'SetCapability', capability: 'affiliate', isOn: true }, 'CapabilitySet');
  let attempt = 0;
  const fresh = (what: string) => `${what}-${++attempt}`;

  const ordered = (by: Bot, side: string, price: string): Promise<VenueResponse> => {
    const terms = { marketId: 'BTC-USD-PERP', side, orderType: 'limit', price, quantity: '0.01' };
    const body = { accountId: by.accountId, clientOrderId: fresh('order'), ...terms };
    return venue.call('placeOrder', { bot: by, idempotencyKey: fresh('key'), body });
  };

  const place = async (by: Bot, side: string, price: string): Promise<VenueResponse['body']> => {
    const { status, body: order } = await ordered(by, side, price);
    if (status !== 202) throw new Error(`the stage could not place an order: ${JSON.stringify(order)}`);
    return order;
  };

  /** Opens a position if the account has none, unless it has no cash. */
  const open = async (by: Bot): Promise<void> => {
    const { positions } = (await venue.call('listPositions', { bot: by, params: { accountId: by.accountId } })).body;
    if (positions.length > 0) return;
    // Bids of other tests may take some.
    for (let ask = await place(other, 'sell', '65300'); ask.status !== 'open'; ) ask = await place(other, 'sell', '65300');
    await ordered(by, 'buy', '65300');
  };

  // An account has a maximum number of families: switches to another account after half of them.
  let holder = bot;
  let minted = 0;
  const ticket = async (): Promise<string> => {
    if (minted % (MAX_TICKET_FAMILIES / 2) === 0) holder = await venue.bot(0);
    minted += 1;
    return (await venue.call('mintRealtimeTicket', { bot: holder })).body.ticket;
  };

  const startedGrant = async () => (await venue.call('startDeviceGrant', await validRequest('startDeviceGrant'))).body;

  const approvedDeviceCode = async (by: Bot): Promise<string> => {
    const { userCode, deviceCode } = await startedGrant();
    await approveGrant(venue, by, userCode);
    return deviceCode;
  };

  /** Values by field name. A clientOrderId beside a side is for a new order, otherwise that of an open one. */
  const namesFor = async (names: ReadonlySet<string>, by: Bot): Promise<ValuesByField> => {
    const known = { ...KNOWN, accountId: by.accountId };
    const places = names.has('side');
    const isAboutAnOrder = ['orderId', 'orderIds', 'clientOrderIds', 'ids'].some((name) => names.has(name));
    const needsOrder = isAboutAnOrder || (names.has('clientOrderId') && !places);
    const order = needsOrder ? await place(by, 'buy', '60000') : undefined;
    const adjusts = names.has('direction') && names.has('amount') && names.has('accountId');
    if (adjusts) await open(by);
    return {
      ...known,
      clientOrderId: order?.clientOrderId ?? fresh('entry'),
      ...(order === undefined ? {} : { orderId: order.orderId, id: order.orderId }),
      ...(adjusts ? { amount: `0.${String(++attempt).padStart(6, '0')}` } : {}),
      ...(names.has('ticket') ? { ticket: await ticket() } : {}),
      ...(names.has('keyId') ? { keyId: (await venue.keyOf(by, ['read'])).keyId } : {}),
      ...(names.has('userCode') ? { userCode: (await startedGrant()).userCode } : {}),
      ...(names.has('deviceCode') ? { deviceCode: await approvedDeviceCode(by) } : {}),
    };
  };

  const validRequest = async (id: OperationId, by: Bot = bot): Promise<Request> => {
    const operation: Operation = OPERATIONS[id];
    const made = await OWNER_REQUESTS[id]?.(venue, by);
    if (made !== undefined) return { ...(operation.access === 'none' ? {} : { bot: await venue.signIn(by) }), ...made };
    const { params, body, example } = operation;
    const { schemas, names } = schemasOf(operation);
    const named = await namesFor(names, by);
    const request = {
      ...(operation.access === 'none' ? {} : { bot: operation.access.startsWith('session') ? await venue.signIn(by) : by }),
      ...(operation.needsIdempotencyKey ? { idempotencyKey: fresh('key') } : {}),
      ...(params === undefined ? {} : { params: validValue(schemas.params, named) as Record<string, string> }),
      ...(body === undefined
        ? {}
        : { body: example === undefined ? validValue(schemas.body, named) : withNamed(example.body, named) }),
    };
    await putFirst(operation, by);
    return request;
  };

  /** Creates what a DELETE deletes. */
  const putFirst = async ({ method, path }: Operation, by: Bot): Promise<void> => {
    const put = method === 'DELETE' ? OPERATION_IDS.find((id) => isAt(OPERATIONS[id], 'PUT', path)) : undefined;
    if (put !== undefined) await venue.call(put, await validRequest(put, by));
  };

  for (const price of ['65001', '65002', '65400']) await place(other, 'sell', price);
  for (const price of ['65001', '65002', '60000']) await place(bot, 'buy', price);
  await place(other, 'buy', '59000');
  return { venue, bot, other, validRequest, ticket };
}

const KNOWN: ValuesByField = {
  marketId: 'BTC-USD-PERP',
  symbol: 'BTC/USD.E:USD.E',
  side: 'buy',
  orderType: 'limit',
  price: '60000',
  quantity: '0.01',
  notional: '700',
};

interface RequestSchemas {
  readonly schemas: { readonly params: JsonSchema; readonly body: JsonSchema };
  /** The names of all fields. */
  readonly names: ReadonlySet<string>;
}

/** Made once for each operation. */
const schemasByOperation = new Map<Operation, RequestSchemas>();

function schemasOf(operation: Operation): RequestSchemas {
  const known = schemasByOperation.get(operation);
  if (known !== undefined) return known;
  const schemas = { params: schemaOf(operation.params), body: schemaOf(operation.body) };
  const names = new Set([...JSON.stringify(schemas).matchAll(/"(\w+)":\{/g)].map((match) => match[1] ?? ''));
  const made = { schemas, names };
  schemasByOperation.set(operation, made);
  return made;
}

function schemaOf(schema: z.ZodType | undefined): JsonSchema {
  return schema === undefined ? undefined : z.toJSONSchema(schema, { io: 'input' });
}

function isAt(operation: Operation, method: Operation['method'], path: string): boolean {
  return operation.method === method && operation.path === path;
}
