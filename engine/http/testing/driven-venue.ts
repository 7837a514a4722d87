/**
 * A venue that a test drives, in one thread or several: its operator's commands, and its clients' requests. Every response to
 * `call` is checked against its declaration, and noted for the coverage of the contract.
 */
import { expect } from 'vitest';
import { type ErrorEnvelope, errorEnvelope } from '#contract/error-envelope.ts';
import { ALWAYS_POSSIBLE, ERRORS } from '#contract/errors.ts';
import { RATE_LIMITS } from '#contract/limits.ts';
import type { Operation } from '#contract/operation.ts';
import { hasVaryingCost, isUnified, rateLimitOf, refusalsOf } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { RESPONSE_HEADERS, type ResponseHeader } from '#contract/response-headers.ts';
import { REFUSED_BEFORE_ROUTING, unifiedError } from '#contract/unified-errors.ts';
import { createApiKey } from '#identity/api-key.ts';
import { holderIdOf } from '#identity/directory.ts';
import type { Sessions, SignIn } from '#identity/sessions.ts';
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { epochMs, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { Command, Scope } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Submit } from '#writer/port/submit.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { BITCOIN } from './markets.ts';
import { observe } from './observed-responses.ts';
import { openOwned, registerOwned, type SoftwareOwner, signInOf, softwareOwner } from './software-owner.ts';

/** An account and its key, or its session, as an ordinary client has them. */
export interface Bot {
  readonly account: AccountOrdinal;
  readonly accountId: string;
  readonly keyId: string;
  readonly key: string;
  /** Of an account that an owner has registered. */
  readonly owner?: SoftwareOwner;
}

export interface Request {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bot?: Bot;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VenueResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: checked against its schema when it arrives
  readonly body: any;
}

/** What a test needs to drive a venue. */
export interface DrivenParts {
  readonly port: number;
  readonly submit: Submit;
  readonly sessions: Sessions;
  /** The sequence of the newest durable record. */
  readonly sequence: () => number;
  readonly clock: Clock;
  /** Collects internal errors. */
  readonly internalErrors: unknown[];
  /** No response to `call` contains one. */
  readonly secrets: KnownSecrets;
  /** Whether the market is listed already: an earlier life of the venue did it. */
  readonly isListed?: boolean;
}

export type DrivenVenue = Awaited<ReturnType<typeof drivenVenue>> & {
  /** Advances the clock, and returns the new time. */
  pass(ms: number): number;
  close(): Promise<void>;
};

/** Lists one open market, {@link BITCOIN}, with its index at 65,000. */
export async function drivenVenue(parts: DrivenParts) {
  const { port, submit, sessions, sequence, clock, internalErrors, secrets, isListed = false } = parts;
  const operate = async <Type extends VenueEvent['type']>(
    command: Command,
    type: Type,
  ): Promise<Extract<VenueEvent, { type: Type }>> => {
    const { events } = await submit({ command });
    const event = events.find((it) => it.type === type);
    if (event === undefined) throw new Error(`${command.type} resulted in ${JSON.stringify(events)}`);
    return event as Extract<VenueEvent, { type: Type }>;
  };

  const publishIndex = (price: number, market = 1 as MarketOrdinal) =>
    operate(
      {
        type: 'PublishIndexPrice',
        market,
        priceAtoms: priceAtoms(price * 10),
        observedAtEpochMs: clock.now(),
      },
      'MarketPriced',
    );

  const issueKey = async (account: AccountOrdinal, scopes: readonly Scope[], expiresAtEpochMs = epochMs(0)): Promise<Bot> => {
    const { keyId, key, digest } = createApiKey();
    await operate({ type: 'IssueApiKey', account, keyId, digest, scopes, label: 'bot', expiresAtEpochMs }, 'ApiKeyIssued');
    return { account, accountId: renderAccountId(account), keyId, key };
  };

  if (!isListed) await operate({ type: 'ListMarket', specification: BITCOIN, status: 'open' }, 'MarketListed');
  await publishIndex(65_000);

  const addPasskeyOfOtherSite = async ({ account }: Pick<Bot, 'account'>) => {
    const site = { relyingPartyId: 'testnet.example', origin: 'https://testnet.example' };
    const credentialId = `DDDD${account}`.padEnd(12, 'D');
    const passkey = { credentialId, kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: 'old', ...site } as const;
    await operate({ type: 'AddPasskey', account, passkey }, 'PasskeyAdded');
    return { credentialId, ...site };
  };
  return {
    port,
    internalErrors,
    sessions,
    sequence,
    operate,
    publishIndex,

    /**
     * Opens an account with that much cash and an active binding, and issues a key for it. An owner has registered it, unless a
     * party is given: then the operator opens it, without a binding if the party is empty.
     */
    async bot(cash = 100_000, scopes: readonly Scope[] = ['read', 'trade'], partyId?: string): Promise<Bot> {
      const owner = partyId === undefined ? softwareOwner() : undefined;
      const account =
        owner === undefined
          ? (await operate({ type: 'OpenAccount', label: 'bot', partyId: partyId!, digestSeed: 7 }, 'AccountOpened')).account
          : await openOwned(operate, owner);
      if (cash > 0)
        await operate(
          { type: 'CreditCash', account, amountAtoms: quoteAtoms(cash * 1_000_000), reference: 'test' },
          'CashPosted',
        );
      return { ...(await issueKey(account, scopes)), ...(owner && { owner }) };
    },

    /** Registers an owner whose setup has not started, with a key that may trade. */
    async owner(): Promise<Bot & { readonly owner: SoftwareOwner }> {
      const owner = softwareOwner();
      return { ...(await issueKey(await registerOwned(operate, owner), ['read', 'trade'])), owner };
    },

    /** Issues another key of the same account, which may expire. */
    keyOf: async ({ account, owner }: Bot, scopes: readonly Scope[], expiresAtEpochMs?: number): Promise<Bot> => ({
      ...(await issueKey(account, scopes, epochMs(expiresAtEpochMs ?? 0))),
      ...(owner && { owner }),
    }),

    revoke: ({ account, keyId }: Bot) => operate({ type: 'RevokeApiKey', account, keyId }, 'ApiKeyRevoked'),

    /** Opens a session of an owner, by its first passkey unless said otherwise. */
    async signIn({ account, accountId, owner }: Omit<Bot, 'key' | 'keyId'>, by: SignIn | SignIn['by'] = 'passkey'): Promise<Bot> {
      if (owner === undefined) throw new Error(`${accountId} has no owner`);
      const opened = await sessions.open(account, typeof by === 'string' ? signInOf(owner, by) : by);
      if (opened === 'full') throw new Error('the store of sessions is full');
      const { bearer, session } = opened;
      return { account, accountId, keyId: holderIdOf(session.sessionId), key: bearer, owner };
    },

    /** Adds a passkey of another site, which cannot sign here. */
    addPasskeyOfOtherSite,

    /** Leaves an owner only a passkey of another site, with a session that it opened before the venue moved here. */
    async moveFromOtherSite(bot: Bot): Promise<Bot> {
      const { account, owner } = bot;
      const { credentialId, relyingPartyId } = await addPasskeyOfOtherSite(bot);
      const own = owner!.authenticator.credentialId.toString('base64url');
      await operate({ type: 'RemovePasskey', account, credentialId: own, relyingPartyId }, 'PasskeyRemoved');
      return this.signIn(bot, { by: 'passkey', credentialId });
    },

    async call(id: OperationId, request: Request = {}): Promise<VenueResponse> {
      const operation: Operation = OPERATIONS[id];
      secrets.learnRequest(request.bot?.key, request.body);
      const response = await fetch(addressOf(port, operation, request), {
        method: operation.method,
        headers: headersOf(request),
        ...(request.body === undefined
          ? {}
          : { body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
      });
      const parsed = { status: response.status, headers: response.headers, body: bodyOf(await response.text()) };
      expectDeclared(operation, parsed);
      secrets.expectNoneIn(id, request.body, parsed);
      return parsed;
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

/** Checks that a response is the declared success, the declared alternative, or a declared refusal. */
export function expectDeclared(operation: Operation, { status, body, headers }: VenueResponse): void {
  const { success, alternative } = operation;
  if (status === success.status && success.schema === undefined) expect(body).toBeUndefined();
  else if (status === success.status) success.schema?.parse(body);
  else if (status === 304 && operation.hasEtag) expect(body).toBeUndefined();
  else if (status === alternative?.status && 'reasons' in body) alternative.schema.parse(body);
  else {
    const { code, requestId } = envelopeIn(body);
    expect('info' in body, code).toBe(isUnified(operation) && !REFUSED_BEFORE_ROUTING.includes(code));
    expect(refusalsOf(operation, ALWAYS_POSSIBLE), operation.id).toContain(code);
    expect(status, code).toBe(ERRORS[code].status);
    expect(requestId).toBe(headers.get('x-request-id'));
  }
  expectHeadersDeclared(operation, { status, body, headers });
  expectLimitReported(operation, { status, body, headers });
  observe(operation, status, body);
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('content-type')).toBe(body === undefined ? null : 'application/json; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
}

/** The envelope of a refusal in either of its two shapes. */
export function envelopeIn(body: object): ErrorEnvelope {
  return 'info' in body ? unifiedError.parse(body).info : errorEnvelope.parse(body);
}

/** Checks the presence and shape of each declared header. */
function expectHeadersDeclared(operation: Operation, { status, body, headers }: VenueResponse): void {
  const code = status >= 400 ? body?.code : undefined;
  for (const [name, { schema, on }] of Object.entries<ResponseHeader>(RESPONSE_HEADERS)) {
    const value = headers.get(name) ?? undefined;
    const presence = on(operation, code);
    if (presence !== 'sometimes')
      expect(value !== undefined, `${operation.id} ${status} ${code}: ${name}`).toBe(presence === 'always');
    if (value !== undefined) schema.parse(value);
  }
}
/** Checks that every counted response reports the remaining tokens of its operation's limit. */
function expectLimitReported(operation: Operation, { status, body, headers }: VenueResponse): void {
  const [policies, left] = [headers.get('ratelimit-policy'), headers.get('ratelimit')];
  const isKeyed = operation.access === 'none-or-bearer' && policies?.startsWith('"reads-per-key"') === true;
  // An operation that is hidden answers before the bearer is looked at.
  const mayBeAnonymous = status === 503 || operation.hiddenWithout !== undefined;
  const isAnonymous = status === 401 || (mayBeAnonymous && policies?.startsWith('"public-') === true);
  const limit = isAnonymous ? 'public' : isKeyed ? 'reads' : rateLimitOf(operation);
  if (limit === undefined || policies === null) return;
  const also = operation.startsLedgerStep && policies.includes('"ledgerSteps-') ? (['ledgerSteps'] as const) : [];
  const names = [limit, ...also].flatMap((name) => RATE_LIMITS[name].per.map((partition) => `"${name}-per-${partition}"`));
  expect(policies).toMatch(new RegExp(`^${names.map((name) => `${name};q=[0-9]+;w=[0-9]+`).join(', ')}$`));
  expect(left).toMatch(new RegExp(`^${names.map((name) => `${name};r=[0-9]+;t=[0-9]+`).join(', ')}$`));
  const isRateLimited = status === 429 && envelopeIn(body).code === 'rate_limited';
  if (isRateLimited && !hasVaryingCost(operation)) expect(left).toMatch(/;r=0;/);
}
