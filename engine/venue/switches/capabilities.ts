/** The environments, the capabilities that the operator switches, and their defaults. */

export const ENVIRONMENTS = ['local', 'development', 'testnet', 'mainnet'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The environment of a journal that is bound to none, because an earlier program made it. */
export const UNBOUND_ENVIRONMENT: Environment = 'development';

export const NAMED_CAPABILITIES = [
  'trading',
  'deposits',
  'withdrawals',
  'transfers',
  'agents',
  'affiliate',
  'registration',
] as const;
export type NamedCapability = (typeof NAMED_CAPABILITIES)[number];
/** One of the named capabilities, or a sign-in provider. */
export type Capability = NamedCapability | `provider:${string}`;

/** A provider's id has at most 32 characters, and at most so many providers have a switch: what the state can hold is bounded. */
const PROVIDER = /^provider:[a-z0-9][a-z0-9-]{0,31}$/;
export const MAX_SWITCHED_PROVIDERS = 32;

type Defaults = Readonly<Record<NamedCapability | 'provider', boolean>>;

const FOR_TESTS: Defaults = {
  trading: true,
  deposits: true,
  withdrawals: true,
  transfers: true,
  agents: true,
  affiliate: false,
  registration: true,
  provider: true,
};
/** A published address does not mean that trading and funding are open: the operator opens them. */
const ANNOUNCED: Defaults = {
  ...FOR_TESTS,
  trading: false,
  deposits: false,
  withdrawals: false,
  transfers: false,
  agents: false,
};

const DEFAULTS: Readonly<Record<Environment, Defaults>> = {
  local: FOR_TESTS,
  development: FOR_TESTS,
  testnet: ANNOUNCED,
  mainnet: ANNOUNCED,
};

export function isCapability(name: string): name is Capability {
  return isNamed(name) || PROVIDER.test(name);
}

export function isProvider(capability: Capability): boolean {
  return !isNamed(capability);
}

/** Whether a capability is on in an environment until the operator switches it. */
export function isOnByDefault(environment: Environment, capability: Capability): boolean {
  return DEFAULTS[environment][isNamed(capability) ? capability : 'provider'];
}

function isNamed(name: string): name is NamedCapability {
  return (NAMED_CAPABILITIES as readonly string[]).includes(name);
}
