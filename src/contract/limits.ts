/**
 * The rate limits in one table. The server enforces it, the headers of each limited response give the remaining tokens, and the documents
 * publish it.
 */
/** A token bucket: `burst` tokens at once, refilled at `perSecond`. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** What a limit counts by: an API key or session, all of an account, the network of a client, or all networks of its site. */
export type RatePartition = 'key' | 'account' | 'network' | 'site';

interface RateLimit {
  readonly per: readonly [RatePartition, ...RatePartition[]];
  readonly counts: string;
}

/** The tokens that a page costs: one for each `rowsPerToken` rows that it may return. `parameter` is the query parameter that bounds the rows. */
export interface PageCost {
  readonly parameter: 'limit' | 'depth';
  readonly rowsPerToken: number;
}

/** Measured (`npm run bench -- --only history`): a token is worth 0.3 to 0.4 ms of CPU time in every list. */
export const ACCOUNT_PAGE = { parameter: 'limit', rowsPerToken: 50 } as const satisfies PageCost;
/** Under /v2 each row is translated as well. */
export const UNIFIED_ACCOUNT_PAGE = { parameter: 'limit', rowsPerToken: 25 } as const satisfies PageCost;
export const MARKET_PAGE = { parameter: 'limit', rowsPerToken: 100 } as const satisfies PageCost;
/** Counts the levels of one side; a book returns both. */
export const BOOK_PAGE = { parameter: 'depth', rowsPerToken: 250 } as const satisfies PageCost;

const PAGES_COUNT = 'A page costs tokens by the number of rows that it may return.';

export const RATE_LIMITS = {
  orders: { per: ['key', 'account'], counts: 'Placements and amendments of orders: a batch counts once for each entry.' },
  cancels: { per: ['key', 'account'], counts: 'Cancels: a cancel of several orders counts once for each order.' },
  previews: { per: ['key', 'account'], counts: 'Previews of orders.' },
  settings: {
    per: ['key', 'account'],
    counts:
      'Changes of settings: favorites, the leaderboard; registrations as an affiliate, skipped KYC; the faucet; drafts and deployments of agents, ' +
      'and reads of a draft, which review its script.',
  },
  signing: { per: ['key', 'account'], counts: "An owner's sessions and keys, and the approvals that an owner signs." },
  ledgerSteps: {
    per: ['key', 'account'],
    counts:
      'What an owner starts on the external ledger: requests of withdrawals, and signed steps of deposits, withdrawals and the setup. They count ' +
      'in signing too. A request that is refused or repeated, or starts nothing, counts in signing only.',
  },
  userCodes: { per: ['key', 'account'], counts: 'User codes of device grants that an owner enters, right or wrong.' },
  reads: { per: ['key', 'account'], counts: `All other requests with an API key. ${PAGES_COUNT}` },
  // What needs no bearer, and someone could use for guessing: each has a limit of its own.
  loginStarts: { per: ['network', 'site'], counts: 'Challenges for a login by passkey.' },
  logins: { per: ['network', 'site'], counts: 'Logins by passkey, accepted or refused.' },
  providerLogins: { per: ['network', 'site'], counts: 'The steps of a login with a provider.' },
  registrationStarts: { per: ['network', 'site'], counts: 'The steps of a registration that prove an identity.' },
  registrationRecoveries: { per: ['network', 'site'], counts: 'Registrations that are resumed.' },
  registrations: {
    per: ['network', 'site'],
    counts: 'The last step of a registration, which opens an account for good.',
  },
  deviceGrants: { per: ['network', 'site'], counts: 'Starts of device grants. Each makes a user code.' },
  deviceCodes: { per: ['network', 'site'], counts: 'Device codes with which programs poll, right or wrong.' },
  public: {
    per: ['network', 'site'],
    counts: `Other requests without an API key for public operations, except GET /health and GET /ready; requests with an invalid API key or session; requests for unknown paths. ${PAGES_COUNT}`,
  },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;
export const RATE_LIMIT_NAMES = Object.keys(RATE_LIMITS) as RateLimitName[];

/** The rates of one key or one network. {@link SHARES} multiplies them for an account and for a site. */
export type Rates = Readonly<Record<RateLimitName, Rate>>;

const SHARES: Readonly<Record<RatePartition, number>> = { key: 1, account: 2, network: 1, site: 4 };

export const DEFAULT_RATES: Rates = {
  orders: { burst: 1_000, perSecond: 500 },
  cancels: { burst: 1_000, perSecond: 500 },
  previews: { burst: 1_000, perSecond: 500 },
  settings: { burst: 20, perSecond: 1 },
  signing: { burst: 60, perSecond: 2 },
  // About 35 a day for an account: each may store some kilobytes on the ledger for good.
  ledgerSteps: { burst: 20, perSecond: 0.0002 },
  userCodes: { burst: 10, perSecond: 0.1 },
  reads: { burst: 400, perSecond: 200 },
  loginStarts: { burst: 30, perSecond: 0.5 },
  logins: { burst: 30, perSecond: 0.5 },
  providerLogins: { burst: 30, perSecond: 0.5 },
  registrationStarts: { burst: 30, perSecond: 0.5 },
  registrationRecoveries: { burst: 30, perSecond: 0.5 },
  registrations: { burst: 5, perSecond: 0.02 },
  deviceGrants: { burst: 30, perSecond: 0.5 },
  // A network may have 10 programs that poll every 5 seconds.
  deviceCodes: { burst: 60, perSecond: 5 },
  public: { burst: 400, perSecond: 200 },
};

/** A limit for one partition. */
export interface RatePolicy extends Rate {
  /** The name in `RateLimit-Policy`. */
  readonly name: string;
  readonly partition: RatePartition;
}

export function policiesOf(limit: RateLimitName, { burst, perSecond }: Rate): readonly RatePolicy[] {
  return RATE_LIMITS[limit].per.map((partition: RatePartition) => {
    const share = SHARES[partition];
    return { name: `${limit}-per-${partition}`, partition, burst: burst * share, perSecond: perSecond * share };
  });
}

/** `RateLimit-Policy`: the burst `q`, and the seconds `w` in which an empty bucket refills. */
export function renderPolicies(policies: readonly RatePolicy[]): string {
  return policies.map((policy) => `"${policy.name}";q=${policy.burst};w=${windowSeconds(policy)}`).join(', ');
}

/** The limits as the documents publish them. */
export function publishedLimits(rates: Rates = DEFAULT_RATES) {
  return RATE_LIMIT_NAMES.flatMap((limit) =>
    policiesOf(limit, rates[limit]).map((policy) => ({
      policy: policy.name,
      countedPer: policy.partition,
      counts: RATE_LIMITS[limit].counts,
      burst: policy.burst,
      perSecond: policy.perSecond,
    })),
  );
}

function windowSeconds({ burst, perSecond }: Rate): number {
  return Math.max(1, Math.ceil(burst / perSecond));
}
