/** Generates the tables of owners' limits of docs/limits.md from the constants that the code enforces. */
import { DEFAULT_KEY_LIFETIME_DAYS, MAX_KEY_LIFETIME_DAYS } from '#contract/agent-connect.ts';
import { AGENT_FUNDING_LIFETIME_MS } from '#contract/agent-funding.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { SETTLEMENT_ASSET } from '#contract/fields.ts';
import { RATE_LIMIT_NAMES } from '#contract/limits.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { MAX_TICKET_FAMILIES, TICKET_LIFETIMES } from '#contract/realtime-limits.ts';
import { FAUCET_AMOUNT } from '#http/handlers/deposits.ts';
import { ACCOUNT_CHALLENGES, CHALLENGE_LIFETIME_MS, SIGN_IN_CHALLENGES } from '#identity/challenges.ts';
import { DEVICE_GRANTS, GRANT_LIFETIME_MS, MAX_INTERVAL_MS, POLL_INTERVAL_MS, SLOW_DOWN_MS } from '#identity/device-grants.ts';
import type { StoreCapacity } from '#identity/expiring-store.ts';
import { SESSION_LIFETIME_MS, SESSIONS } from '#identity/sessions.ts';
import { ATTEMPT_LIFETIME_MS, SIGN_IN_ATTEMPTS } from '#identity/sign-in/attempts.ts';
import { MAX_WAIT_MS } from '#settlement/coordinator/coordinator.ts';
import { APPROVAL_DEADLINE_MS, OFFER_LIFETIME_MS } from '#settlement/coordinator/pass-ports.ts';
import { renderDecimal } from '#units/decimal.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import { MAX_API_KEYS } from '#venue/account/administration.ts';
import { MAX_ALL_DEPLOYMENTS, MAX_OPEN_DEPLOYMENTS } from '#venue/agent/deployment.ts';
import { MAX_DRAFTED_SIZE, MAX_DRAFTS, MAX_OWNER_DRAFTED_SIZE } from '#venue/agent/draft.ts';
import { MAX_PENDING_AGENT_FUNDINGS } from '#venue/agent-account/funding.ts';
import { MAX_AGENT_ACCOUNTS } from '#venue/agent-account/opening.ts';
import { MAX_CREDENTIALS, MAX_OWNERS, MAX_PASSKEYS } from '#venue/owner/passkeys.ts';
import { MAX_OPEN_WITHDRAWALS } from '#venue/transfer/owner-withdrawal.ts';
import { tableOf } from './markdown-table.ts';

/** Limits of trading and of reads: their operations are not listed. */
const UNLISTED_LIMITS: readonly string[] = ['orders', 'cancels', 'previews', 'reads', 'public'];

export function ownerLimits(): string {
  return `## Owners and money

${tableOf(['limit', 'value', 'beyond it'], counts())}

[Authentication](authentication.md#sessions) says what of these survives a restart.

## Lifetimes

${tableOf(['what', 'how long', 'after that'], lifetimes())}`;
}

/** The operations of each limit that is not for trading or reads. */
export function ownerRates(): string {
  const operations: readonly Operation[] = Object.values(OPERATIONS);
  const rows = RATE_LIMIT_NAMES.filter((name) => !UNLISTED_LIMITS.includes(name)).map((name) => [
    `\`${name}\``,
    operations
      .filter(({ limit, startsLedgerStep }) => (name === 'ledgerSteps' ? startsLedgerStep : limit === name))
      .map(({ method, path }) => `\`${method} ${path}\``)
      .join(', '),
  ]);
  return tableOf(['limit', 'operations'], rows);
}

function counts(): string[][] {
  const faucet = `${renderDecimal(FAUCET_AMOUNT, SETTLEMENT_DECIMALS)} ${SETTLEMENT_ASSET}, once for each account`;
  const perNetwork = ({ maxPerOwner, maxPerSite }: StoreCapacity) => `${maxPerOwner}, ${maxPerSite}`;
  const inAll = [SESSIONS, ACCOUNT_CHALLENGES, SIGN_IN_CHALLENGES, SIGN_IN_ATTEMPTS].map(({ maxInAll }) => maxInAll);
  return [
    ['owners of a venue', String(MAX_OWNERS), `${refusal('capability_unavailable')} for the next registration`],
    ['faucet grant, on `local` and `development`', faucet, 'the first grant again, with `replayed` true'],
    ['open withdrawals of an account', String(MAX_OPEN_WITHDRAWALS), refusal('too_many_withdrawals')],
    ['agent accounts of an owner, with the retired ones', String(MAX_AGENT_ACCOUNTS), refusal('too_many_agent_accounts')],
    [
      'fundings of agent accounts of an owner that are approved, or can still be',
      String(MAX_PENDING_AGENT_FUNDINGS),
      refusal('too_many_agent_fundings'),
    ],
    ['passkeys of an account, its setup key included', String(MAX_PASSKEYS), refusal('too_many_passkeys')],
    ['the same, with those that were removed', String(MAX_CREDENTIALS), refusal('too_many_passkeys')],
    ['active API keys of an account', String(MAX_API_KEYS), refusal('too_many_api_keys')],
    ['drafts of an owner', String(MAX_DRAFTS), refusal('too_many_agent_drafts')],
    [
      'characters of all drafts of an owner, each at least 1,024',
      String(MAX_OWNER_DRAFTED_SIZE),
      refusal('too_many_agent_drafts'),
    ],
    ['characters of all drafts of a venue', String(MAX_DRAFTED_SIZE), refusal('capability_unavailable')],
    ['open deployments of an owner', String(MAX_OPEN_DEPLOYMENTS), refusal('too_many_agent_deployments')],
    ['open deployments of a venue', String(MAX_ALL_DEPLOYMENTS), refusal('capability_unavailable')],
    ['sessions of an account', String(SESSIONS.maxPerOwner), 'the oldest one ends'],
    ['open challenges of an account', String(ACCOUNT_CHALLENGES.maxPerOwner), 'the oldest one is void'],
    ['families of realtime tickets of an account', String(MAX_TICKET_FAMILIES), refusal('too_many_realtime_tickets')],
    [
      'open challenges of registrations and logins, per network and per IPv6 /48',
      perNetwork(SIGN_IN_CHALLENGES),
      refusal('venue_busy'),
    ],
    ['open attempts to register or sign in, per network and per IPv6 /48', perNetwork(SIGN_IN_ATTEMPTS), refusal('venue_busy')],
    ['open device grants, per network and per IPv6 /48', perNetwork(DEVICE_GRANTS), refusal('too_many_device_grants')],
    ['sessions; challenges of accounts; those before sign-in; attempts; of a venue', inAll.join('; '), refusal('venue_busy')],
    ['device grants of a venue', String(DEVICE_GRANTS.maxInAll), refusal('too_many_device_grants')],
  ];
}

function lifetimes(): string[][] {
  const polls = `${duration(POLL_INTERVAL_MS)}; ${duration(SLOW_DOWN_MS)} more after each early poll, up to ${duration(MAX_INTERVAL_MS)}`;
  return [
    ['challenge', duration(CHALLENGE_LIFETIME_MS), 'it approves nothing: request a new one'],
    ['attempt to register or sign in', duration(ATTEMPT_LIFETIME_MS), `${refusal('attempt_rejected')}: start again`],
    ['funding of an agent account, until its approval', duration(AGENT_FUNDING_LIFETIME_MS), refusal('agent_funding_expired')],
    ['session', duration(SESSION_LIFETIME_MS), `${refusal('unauthorized')}: sign in again`],
    ['device grant', duration(GRANT_LIFETIME_MS), `${refusal('expired_token')}: start again`],
    ['time between polls of a device grant', polls, `${refusal('slow_down')} before it`],
    [
      'API key of a device grant',
      `${DEFAULT_KEY_LIFETIME_DAYS} days, or what the program requested: 1 to ${MAX_KEY_LIFETIME_DAYS}`,
      refusal('unauthorized'),
    ],
    [
      'realtime ticket; its family, by rotation',
      `${duration(TICKET_LIFETIMES.ticketMs)}; ${duration(TICKET_LIFETIMES.familyMs)}`,
      'mint a new one',
    ],
    [
      'withdrawal, from the request until its owner has authorized it and signed the consent',
      duration(APPROVAL_DEADLINE_MS),
      '`blocked`: the cash returns',
    ],
    [
      'offer on the external ledger',
      duration(OFFER_LIFETIME_MS),
      'it is withdrawn: a deposit gets another one at the next `initiate`, a withdrawal is `blocked`',
    ],
    ['wait of a request for the external ledger', duration(MAX_WAIT_MS), 'the response has the status so far'],
  ];
}

function refusal(code: ErrorCode): string {
  return `${ERRORS[code].status} \`${code}\``;
}

const UNITS = [
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

function duration(ms: number): string {
  const [unitMs, unit] = UNITS.find(([each]) => ms % each === 0)!;
  const count = ms / unitMs;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
