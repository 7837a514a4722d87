/**
 * How much may be asked of the venue, in one table: the server counts by it, every limited answer says in its headers how
 * much is left, and the documents publish it.
 */
/** So many at once, and so many per second on and on. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Whom a limit is counted for: an API key, all keys of an account together, the network that a request comes from, or all networks of its site. */
export type RatePartition = 'key' | 'account' | 'network' | 'site';

interface RateLimit {
  readonly per: readonly [RatePartition, ...RatePartition[]];
  readonly counts: string;
}

/** How many tokens a page costs: one for every `rowsPerToken` rows that it may return, by the query parameter that bounds them. */
export interface PageCost {
  readonly parameter: 'limit' | 'depth';
  readonly rowsPerToken: number;
}

/** Measured (`npm run bench -- --only history`): a token buys 0.3 to 0.4 ms of processor time, whatever the list. */
export const ACCOUNT_PAGE = { parameter: 'limit', rowsPerToken: 50 } as const satisfies PageCost;
/** Under /v2 each row is translated as well. */
export const UNIFIED_ACCOUNT_PAGE = { parameter: 'limit', rowsPerToken: 25 } as const satisfies PageCost;
export const MARKET_PAGE = { parameter: 'limit', rowsPerToken: 100 } as const satisfies PageCost;
/** Levels of one side; both are returned. */
export const BOOK_PAGE = { parameter: 'depth', rowsPerToken: 250 } as const satisfies PageCost;

const PAGES_COUNT = 'A page costs tokens by the rows that it may return.';

export const RATE_LIMITS = {
  orders: { per: ['key', 'account'], counts: 'Orders to be placed: a batch counts as many as it has entries.' },
  cancels: { per: ['key', 'account'], counts: 'Cancels: one of several orders counts as many as it names.' },
  previews: { per: ['key', 'account'], counts: 'Previews of orders.' },
  settings: { per: ['key', 'account'], counts: 'Changes of what an account sees and shows: favorites, the leaderboard.' },
  reads: { per: ['key', 'account'], counts: `All other requests with a bearer. ${PAGES_COUNT}` },
  public: {
    per: ['network', 'site'],
    counts: `Requests without a bearer for what needs none, but for GET /health and GET /ready; those whose bearer is not accepted; and those for what there is not. ${PAGES_COUNT}`,
  },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof RATE_LIMITS;
export const RATE_LIMIT_NAMES = Object.keys(RATE_LIMITS) as RateLimitName[];

/** What one key, or one network, may. {@link SHARES} is how much more an account may with all of its keys, and a site with all of its networks. */
export type Rates = Readonly<Record<RateLimitName, Rate>>;

const SHARES: Readonly<Record<RatePartition, number>> = { key: 1, account: 2, network: 1, site: 4 };

export const DEFAULT_RATES: Rates = {
  orders: { burst: 1_000, perSecond: 500 },
  cancels: { burst: 1_000, perSecond: 500 },
  previews: { burst: 1_000, perSecond: 500 },
  settings: { burst: 20, perSecond: 1 },
  reads: { burst: 400, perSecond: 200 },
  public: { burst: 400, perSecond: 200 },
};

/** A limit as it is counted for one partition. */
export interface RatePolicy extends Rate {
  /** As `RateLimit-Policy` names it. */
  readonly name: string;
  readonly partition: RatePartition;
}

export function policiesOf(limit: RateLimitName, { burst, perSecond }: Rate): readonly RatePolicy[] {
  return RATE_LIMITS[limit].per.map((partition: RatePartition) => {
    const share = SHARES[partition];
    return { name: `${limit}-per-${partition}`, partition, burst: burst * share, perSecond: perSecond * share };
  });
}

/** `RateLimit-Policy`: what may be taken at once, and the seconds in which a bucket that is empty fills again. */
export function renderPolicies(policies: readonly RatePolicy[]): string {
  return policies.map((policy) => `"${policy.name}";q=${policy.burst};w=${windowSeconds(policy)}`).join(', ');
}

/** The limits as documents publish them. */
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
