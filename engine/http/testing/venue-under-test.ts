/**
 * The real venue behind the real server: core, writer with its journal on disk, projection, HTTP on a free port. Every
 * answer that passes through `call` is checked against its declaration, and noted for the coverage of the contract.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ALWAYS_POSSIBLE, ERRORS, errorEnvelope } from '#contract/errors.ts';
import { DEFAULT_RATES, RATE_LIMITS, type Rates } from '#contract/limits.ts';
import type { Operation } from '#contract/operation.ts';
import { rateLimitOf, refusalsOf } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { RESPONSE_HEADERS, type ResponseHeader } from '#contract/response-headers.ts';
import { answersFrom, askBy, renderedAnswer } from '#http/answers.ts';
import type { HttpLimits } from '#http/ports.ts';
import { DEFAULT_HTTP_LIMITS } from '#http/ports.ts';
import { countersInProcess } from '#http/rate-counters.ts';
import { createHttpServer } from '#http/server.ts';
import { makeApiKey } from '#identity/api-key.ts';
import { MemoryTicketStore, type TicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { DIRECTORY_COMMANDS, openProjection, VenueDirectory } from '#projection/projection.ts';
import { openOrdersIn } from '#src/open-orders.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { epochMs, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { Command, Scope } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Clock } from '#writer/clock.ts';
import { lockDirectory } from '#writer/directory-lock.ts';
import { nodeFiles } from '#writer/node-files.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/told-records.ts';
import { venueRules } from '#writer/venue-rules.ts';
import { openWriter } from '#writer/writer.ts';
import { BITCOIN, UNLISTED } from './markets.ts';
import { observe } from './observed-answers.ts';

/** An account and its key, as an ordinary client holds them. */
export interface Bot {
  readonly account: AccountOrdinal;
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
}

export interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bot?: Bot;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: checked against its schema when it arrives
  readonly body: any;
}

/** Faults that a test plants between the server and what is behind it. */
export interface Planted {
  submit?: Error | undefined;
  /** Throws or rejects with what a submission (or a preview) is to be rejected with, or lets it through; it is waited for. */
  beforeSubmit?: (() => unknown) | undefined;
  reads?: Error | undefined;
  /** Is waited for before anything is read. */
  beforeRead?: (() => unknown) | undefined;
  /** Of the directory of keys alone. */
  keys?: Error | undefined;
  /** Of the server's clock, once: the answer to it has a time again. */
  clock?: Error | undefined;
  notReady?: string | undefined;
}

export type VenueUnderTest = Awaited<ReturnType<typeof startVenue>>;

/** Starts with one open market, {@link BITCOIN}, its index at 65,000. */
export async function startVenue({ rates, ...limits }: Partial<Omit<HttpLimits, 'rates'>> & { rates?: Partial<Rates> } = {}) {
  const directory = lockDirectory(mkdtempSync(join(tmpdir(), 'openperp-http-')));
  let at = 1_700_000_000_000;
  const clock = { now: () => epochMs(++at) };
  const projection = openProjection(join(directory.path, 'projection.sqlite'), clock);
  const venueDirectory = new VenueDirectory(projection.directory());
  const writer = await openWriter({
    files: await nodeFiles(directory, 'journal'),
    clock,
    steadyClock: { elapsedMs: () => at },
    rules: venueRules,
    follow: (group) => {
      const stored = group.stored!;
      venueDirectory.follow(lastSequenceOf(stored), recordsOfCommands(stored, DIRECTORY_COMMANDS));
      projection.follow(group);
    },
    followFrom: projection,
    onHalt: (halt) => defects.push(halt),
  });
  projection.live(writer.time);
  const planted: Planted = {};
  const defects: unknown[] = [];
  const answers = answersFrom(withPlantedFaults(projection.reads, planted));
  const ofRequests = withPlantedFaults(venueDirectory, planted);
  const serverClock = withPlantedFault(clock, planted);
  const server = createHttpServer({
    submit: async (submission) => {
      await met(planted);
      return writer.submit(submission);
    },
    previewOrder: async (command) => {
      await met(planted);
      return writer.look((it, now) => it.preview(command, now));
    },
    openOrders: openOrdersIn(writer),
    directory: ofRequests,
    ask: askBy(async (name, asked) => {
      await planted.beforeRead?.();
      return renderedAnswer(answers, name, asked);
    }),
    pricedUnderlyings: [BITCOIN, UNLISTED],
    tickets: new Tickets({ store: storeOf(planted), findApiKey: (keyId) => ofRequests.apiKey(keyId), clock: serverClock }),
    clock: serverClock,
    status: () => ({
      isReady: planted.notReady === undefined,
      reasons: planted.notReady === undefined ? [] : [planted.notReady],
    }),
    limits: { ...DEFAULT_HTTP_LIMITS, ...limits, rates: { ...DEFAULT_RATES, ...rates } },
    rateCounters: countersInProcess(serverClock),
    observe: () => () => {},
    reportDefect: (defect) => defects.push(defect),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;

  const operate = async <Type extends VenueEvent['type']>(
    command: Command,
    type: Type,
  ): Promise<Extract<VenueEvent, { type: Type }>> => {
    const { events } = await writer.submit({ command });
    const event = events.find((it) => it.type === type);
    if (event === undefined) throw new Error(`${command.type} came to ${JSON.stringify(events)}`);
    return event as Extract<VenueEvent, { type: Type }>;
  };

  const publishIndex = (price: number, market = 1 as MarketOrdinal) =>
    operate(
      {
        type: 'PublishIndexPrice',
        market,
        priceAtoms: priceAtoms(price * 10),
        observedAtEpochMs: epochMs(at),
      },
      'MarketPriced',
    );

  const issueKey = async (account: AccountOrdinal, scopes: readonly Scope[], expiresAtEpochMs = epochMs(0)): Promise<Bot> => {
    const { keyId, key, digest } = makeApiKey();
    await operate({ type: 'IssueApiKey', account, keyId, digest, scopes, label: 'bot', expiresAtEpochMs }, 'ApiKeyIssued');
    return { account, accountId: renderAccountId(account), keyId, key };
  };

  await operate({ type: 'ListMarket', specification: BITCOIN, status: 'open' }, 'MarketListed');
  await publishIndex(65_000);

  return {
    port,
    planted,
    defects,
    sequence: () => projection.sequence,
    operate,
    publishIndex,
    /** Lets time pass, for the wall clock and the steady one, and says what it is then. */
    pass: (ms: number): number => {
      at += ms;
      return at;
    },

    /** What reads are told when the writer has halted. */
    tellHalted: () => projection.halted(),

    /** The writer takes nothing any more. */
    halt: () => writer.stopFollowing(new Error('planted')),

    /** Opens an account with that much cash and an active binding, and issues a key for it. */
    async bot(cash = 100_000, scopes: readonly Scope[] = ['read', 'trade'], partyId = 'party::1'): Promise<Bot> {
      const { account } = await operate({ type: 'OpenAccount', label: 'bot', partyId, digestSeed: 7 }, 'AccountOpened');
      if (cash > 0)
        await operate(
          { type: 'CreditCash', account, amountAtoms: quoteAtoms(cash * 1_000_000), reference: 'test' },
          'CashPosted',
        );
      return issueKey(account, scopes);
    },

    /** Another key of the same account, which may expire. */
    keyOf: ({ account }: Bot, scopes: readonly Scope[], expiresAtEpochMs?: number): Promise<Bot> =>
      issueKey(account, scopes, epochMs(expiresAtEpochMs ?? 0)),

    revoke: ({ account, keyId }: Bot) => operate({ type: 'RevokeApiKey', account, keyId }, 'ApiKeyRevoked'),

    async call(id: OperationId, request: Request = {}): Promise<Answer> {
      const operation: Operation = OPERATIONS[id];
      const response = await fetch(addressOf(port, operation, request), {
        method: operation.method,
        headers: headersOf(request),
        ...(request.body === undefined
          ? {}
          : { body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
      });
      const answer = { status: response.status, headers: response.headers, body: bodyOf(await response.text()) };
      expectDeclared(operation, answer);
      return answer;
    },

    async close(): Promise<void> {
      await server.close();
      await writer.close();
      projection.close();
      directory.release();
      rmSync(directory.path, { recursive: true });
    },
  };
}

/** What is planted for submissions, met by whatever is asked of the venue. */
async function met({ submit, beforeSubmit }: Planted): Promise<void> {
  if (submit !== undefined) throw submit;
  await beforeSubmit?.();
}

/** What a test plants for submissions meets tickets as well: calls of their store reject with it, as those of one that is away do. */
function storeOf(planted: Planted): TicketStore {
  return new Proxy(new MemoryTicketStore(), {
    get:
      (store, name: keyof TicketStore) =>
      async (...asked: readonly unknown[]) => {
        await met(planted);
        return (store[name] as (...asked: unknown[]) => unknown).apply(store, [...asked]);
      },
  });
}

function withPlantedFaults<Port extends object>(port: Port, planted: Planted): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const fault = name === 'apiKey' ? planted.keys : planted.reads;
      if (fault !== undefined) throw fault;
      return (target[name as keyof Port] as () => unknown).bind(target);
    },
  });
}

function withPlantedFault(clock: Clock, planted: Planted): Clock {
  return {
    now: () => {
      const fault = planted.clock;
      planted.clock = undefined;
      if (fault !== undefined) throw fault;
      return clock.now();
    },
  };
}

function addressOf(port: number, operation: Operation, { params, query }: Request): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''));
  const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
  return `http://127.0.0.1:${port}${path}${search}`;
}

function bodyOf(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

function headersOf({ bot, idempotencyKey, body, headers }: Request): Record<string, string> {
  return {
    ...(bot === undefined ? {} : { authorization: `Bearer ${bot.key}` }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
}

/** The answer is the declared success, the declared alternative, or a refusal that the operation declares. */
export function expectDeclared(operation: Operation, { status, body, headers }: Answer): void {
  const { success, alternative } = operation;
  if (status === success.status && success.schema === undefined) expect(body).toBeUndefined();
  else if (status === success.status) success.schema?.parse(body);
  else if (status === alternative?.status && 'reasons' in body) alternative.schema.parse(body);
  else {
    const { code, requestId } = errorEnvelope.parse(body);
    expect(refusalsOf(operation, ALWAYS_POSSIBLE), operation.id).toContain(code);
    expect(status, code).toBe(ERRORS[code].status);
    expect(requestId).toBe(headers.get('x-request-id'));
  }
  expectHeadersDeclared(operation, { status, body, headers });
  expectLimitTold(operation, status, headers);
  observe(operation, status, body);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('content-type')).toBe(body === undefined ? null : 'application/json; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

/** Each declared header is where it always is, nowhere where it never is, and of its shape. */
function expectHeadersDeclared(operation: Operation, { status, body, headers }: Answer): void {
  const code = status >= 400 ? body?.code : undefined;
  for (const [name, { schema, on }] of Object.entries<ResponseHeader>(RESPONSE_HEADERS)) {
    const value = headers.get(name) ?? undefined;
    const presence = on(operation, code);
    if (presence !== 'sometimes')
      expect(value !== undefined, `${operation.id} ${status} ${code}: ${name}`).toBe(presence === 'always');
    if (value !== undefined) schema.parse(value);
  }
}
/** Every answer that was counted says what is left, of the limit that its operation counts against. */
function expectLimitTold(operation: Operation, status: number, headers: Headers): void {
  const [policies, left] = [headers.get('ratelimit-policy'), headers.get('ratelimit')];
  const limit = status === 401 ? 'public' : rateLimitOf(operation);
  if (limit === undefined || policies === null) return;
  const names = RATE_LIMITS[limit].per.map((partition) => `"${limit}-per-${partition}"`);
  expect(policies).toMatch(new RegExp(`^${names.map((name) => `${name};q=[0-9]+;w=[0-9]+`).join(', ')}$`));
  expect(left).toMatch(new RegExp(`^${names.map((name) => `${name};r=[0-9]+;t=[0-9]+`).join(', ')}$`));
  if (status === 429 && operation.weight === undefined) expect(left).toMatch(/;r=0;/);
}
