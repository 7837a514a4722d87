/** The operator's switches, rebuilt from their events: the environment, the status of the venue, and its capabilities. */
import type { Command } from '#venue/command.ts';
import type { CapabilitySet, EnvironmentBound, VenueStatusChanged } from '#venue/event.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { fail } from './audit-failed.ts';

/** Off in an environment for tests until they are switched on; `trading` and all that moves money only in the other environments. */
const OFF_FOR_TESTS: readonly string[] = ['affiliate'];
const OFF_ELSEWHERE: readonly string[] = [...OFF_FOR_TESTS, 'trading', 'deposits', 'withdrawals', 'transfers', 'agents'];

/** The capabilities that a command needs. */
function capabilitiesOf(command: Command): readonly string[] {
  switch (command.type) {
    case 'PlaceOrder':
    case 'PlaceOrders':
      return ['trading'];
    case 'TransferCash':
      return ['transfers'];
    case 'RegisterOwner':
      return ['registration', `provider:${command.provider}`];
    case 'ReserveWithdrawal':
      return ['withdrawals'];
    case 'GrantFaucet':
      return ['deposits'];
    case 'BindDeposit':
      return ['deposits', 'transfers'];
    case 'RequestWithdrawal':
    case 'AuthorizeWithdrawal':
      return ['withdrawals', 'transfers'];
    default:
      return [];
  }
}

export class AuditedSwitches {
  environment: EnvironmentBound['environment'] | undefined;
  status: VenueStatusChanged['status'] = 'open';
  readonly #switched = new Map<string, boolean>();

  /** `isUsed`: there is an account or a market. */
  bind({ environment }: EnvironmentBound, isUsed: boolean): void {
    if (this.environment !== undefined || isUsed) fail('switch', `the journal was bound to ${environment} too late`);
    this.environment = environment;
  }

  set({ capability, isOn }: CapabilitySet): void {
    this.#switched.set(capability, isOn);
  }

  isOn(capability: string): boolean {
    const isForTests = this.environment !== 'testnet' && this.environment !== 'mainnet';
    return this.#switched.get(capability) ?? !(isForTests ? OFF_FOR_TESTS : OFF_ELSEWHERE).includes(capability);
  }

  /** Each market permits at most what one of this status does. */
  get marketLimit(): MarketStatus {
    if (this.status === 'halted' || !this.isOn('trading')) return 'cancel_only';
    return this.status === 'open' ? 'open' : 'reduce_only';
  }

  /** A command of a client was carried out that moves money or registers an owner. */
  checkIntake(command: Command): void {
    const capabilities = capabilitiesOf(command);
    if (capabilities.length > 0 && (this.status !== 'open' || this.isOff(command)))
      fail('switch', `a ${command.type} was carried out while the venue was ${this.status} or one of ${capabilities} was off`);
  }

  /** Whether the command can be refused because its capability is off. */
  isOff(command: Command): boolean {
    return capabilitiesOf(command).some((capability) => !this.isOn(capability));
  }

  /** One line for each switch that is not as in a new venue. */
  lines(): string[] {
    return switchLines(this.environment, this.status, this.#switched);
  }
}

export function switchLines(
  environment: string | undefined,
  status: string,
  switched: Iterable<readonly [string, boolean]>,
): string[] {
  return [
    `switches ${environment} ${status}`,
    ...[...switched].map(([capability, isOn]) => `capability ${capability} ${isOn ? 'on' : 'off'}`),
  ];
}
