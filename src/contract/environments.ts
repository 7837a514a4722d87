/**
 * The environments of a venue, and what only some of them have. An operation or channel that an environment lacks is absent there: it
 * has no route, and no document lists it.
 */
export const ENVIRONMENTS = ['local', 'development', 'testnet', 'mainnet'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const DEFAULT_ENVIRONMENT: Environment = 'development';

/** The part of a declaration that says where it exists. */
export interface EnvironmentScope {
  /** The environments that have it; all of them by default. */
  readonly environments?: readonly Environment[];
}

interface PartialFeature extends Required<EnvironmentScope> {
  readonly summary: string;
  /** What of an operation is meant, if no operation as a whole. */
  readonly part?: string;
}

/** What only some environments have. A declaration refers to its row: `environments: PARTIAL_FEATURES.faucet.environments`. */
export const PARTIAL_FEATURES = {
  faucet: { summary: 'Test funds from the faucet', environments: ['local', 'development'] },
  localSignIn: {
    summary: 'Sign-in with the local development provider',
    environments: ['local', 'development'],
    part: 'the provider `local` of `/v1/auth`',
  },
  agents: { summary: 'Agents: their accounts, fundings, drafts and deployments', environments: ['development', 'testnet'] },
  agentActionLog: { summary: 'The action log of an agent', environments: ['development', 'testnet'] },
  agentTickets: { summary: 'Realtime tickets for agents', environments: ['development', 'testnet'] },
} as const satisfies Record<string, PartialFeature>;

export function existsIn(environment: Environment, { environments }: EnvironmentScope): boolean {
  return environments === undefined || environments.includes(environment);
}

/** The declarations of each environment, in their order. */
export function byEnvironment<Declared extends EnvironmentScope>(
  declarations: readonly Declared[],
): Readonly<Record<Environment, readonly Declared[]>> {
  const of = (environment: Environment) => declarations.filter((declared) => existsIn(environment, declared));
  return { local: of('local'), development: of('development'), testnet: of('testnet'), mainnet: of('mainnet') };
}
