/** The operator's switches, rebuilt from their events: the environment, the status of the venue, and its capabilities. */
import type { Command } from '#venue/command.ts';
import type { CapabilitySet, EnvironmentBound, LedgerGuarded, VenueStatusChanged } from '#venue/event.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { fail } from './audit-failed.ts';

/** Off in an environment for tests until they are switched on; `trading` and all that moves money only in the other environments. */
const OFF_FOR_TESTS: readonly string[] = ['affiliate'];
const OFF_ELSEWHERE: readonly string[] = [...OFF_FOR_TESTS, 'trading', 'deposits', 'withdrawals', 'transfers', 'agents'];

/** The status of the venue limits the markets, which decide about an order. */
const ORDERS: ReadonlySet<Command['type']> = new Set([
  'PlaceOrder',
  'PlaceOrders',
  'AmendOrder',
  'AmendOrders',
  'PlacePaperOrder',
] as const);

/** The capabilities that a command needs. On a guarded ledger so does what starts something there. */
function capabilitiesOf(command: Command, isLedgerGuarded: boolean): readonly string[] {
  switch (command.type) {
    case 'PlaceOrder':
    case 'PlaceOrders':
    case 'AmendOrder':
    case 'AmendOrders':
    case 'AdjustPositionMargin':
      return ['trading'];
    case 'TransferCash':
      return ['transfers'];
    case 'OpenAgentAccount':
    case 'DraftAgentScript':
    case 'ReviewAgentScript':
    case 'CreateAgentDeployment':
    case 'PlacePaperOrder':
      return ['agents'];
    case 'ChangeAgentDeployment':
      return command.state === 'running' ? ['agents'] : [];
    case 'CreateAgentFunding':
      return command.direction === 'owner_to_agent' ? ['transfers', 'agents'] : ['transfers'];
    case 'ApproveAgentFunding':
    case 'MoveAgentFunding':
      return ['transfers'];
    case 'RegisterOwner':
      return ['registration', `provider:${command.provider}`];
    case 'RegisterAffiliate':
      return ['affiliate'];
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
      return isLedgerGuarded ? capabilitiesOfStart(command) : [];
  }
}

function capabilitiesOfStart(command: Command): readonly string[] {
  switch (command.type) {
    case 'StartParty':
    case 'ActivateParty':
    case 'CreateSigningWallet':
    case 'SubmitPartyConsent':
      return ['transfers'];
    case 'SubmitDepositStep':
      return command.step === 'treasury_offer' ? ['deposits', 'transfers'] : [];
    case 'ReserveOnLedger':
      return ['withdrawals', 'transfers'];
    case 'SubmitWithdrawalStep':
      return command.step === 'owner_withdrawal_consent' ? ['withdrawals', 'transfers'] : [];
    default:
      return [];
  }
}

export class AuditedSwitches {
  environment: EnvironmentBound['environment'] | undefined;
  status: VenueStatusChanged['status'] = 'open';
  isLedgerGuarded = false;
  readonly #switched = new Map<string, boolean>();

  /** `isUsed`: there is an account or a market. */
  bind({ environment }: EnvironmentBound, isUsed: boolean): void {
    if (this.environment !== undefined || isUsed) fail('switch', `the journal was bound to ${environment} too late`);
    this.environment = environment;
  }

  set({ capability, isOn }: CapabilitySet): void {
    this.#switched.set(capability, isOn);
  }

  /** The guard never ends. */
  guard({ isGuarded }: LedgerGuarded): void {
    if (!isGuarded) fail('switch', 'the guard of the ledger was taken away');
    this.isLedgerGuarded = true;
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

  /** Takes a command that was carried out, with the switches before it. */
  checkIntake(command: Command): void {
    if (ORDERS.has(command.type)) return;
    const capabilities = capabilitiesOf(command, this.isLedgerGuarded);
    // Paused intake stops what opens risk. Margin that is added reduces it.
    const isReducing = command.type === 'AdjustPositionMargin' && command.direction === 'add';
    const isClosed = this.status !== 'open' && !(isReducing && this.status === 'intake_paused');
    if (capabilities.length > 0 && (isClosed || this.isOff(command)))
      fail('switch', `a ${command.type} was carried out while the venue was ${this.status} or one of ${capabilities} was off`);
  }

  /** Whether the command can be refused because its capability is off. */
  isOff(command: Command): boolean {
    return capabilitiesOf(command, this.isLedgerGuarded).some((capability) => !this.isOn(capability));
  }

  /** One line for each switch that is not as in a new venue. */
  lines(): string[] {
    return switchLines(this.environment, this.status, this.#switched, this.isLedgerGuarded);
  }
}

export function switchLines(
  environment: string | undefined,
  status: string,
  switched: Iterable<readonly [string, boolean]>,
  isLedgerGuarded: boolean,
): string[] {
  return [
    `switches ${environment} ${status}${isLedgerGuarded ? ', the ledger is guarded' : ''}`,
    ...[...switched].map(([capability, isOn]) => `capability ${capability} ${isOn ? 'on' : 'off'}`),
  ];
}
