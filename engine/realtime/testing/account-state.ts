/** A client's state of its account: REST snapshots plus the updates of their channels. Uses no code of the venue. */
import type { Frame } from './socket-client.ts';

/** Bodies of REST responses, each with its sequence. */
export interface AccountSnapshots {
  readonly orders: readonly Frame[];
  readonly ordersSequence: number;
  readonly fills: readonly Frame[];
  readonly fillsSequence: number;
  /** `GET /v1/accounts/{accountId}/positions` */
  readonly positions: Frame;
  /** `GET /v1/accounts/{accountId}` */
  readonly account: Frame;
}

/** Fields of a position that follow the market, and the channels that update them. */
const LIVE_FIELDS = [
  'markPriceAtoms',
  'markPrice',
  'unrealizedPnlAtoms',
  'unrealizedPnl',
  'liquidationPriceAtoms',
  'liquidationPrice',
  'marginHealthBps',
  'equityAtoms',
  'maintenanceRequirementAtoms',
  'maintenanceRequirement',
  'marginStatus',
  'riskAsOfMarketDataSequence',
  'liquidationTierConsistent',
  'adlIndicator',
  'riskEvidence',
];
const MARGIN_FIELDS = [
  'cashBalanceAtoms',
  'equityAtoms',
  'availableForOrdersAtoms',
  'reservedForOrdersAtoms',
  'positionMarginAtoms',
];

export class AccountState {
  readonly #orders = new Map<string, Frame>();
  readonly #fills = new Map<string, Frame>();
  readonly #positions = new Map<string, Frame>();
  readonly #marginStatus = new Map<string, string>();
  readonly #unrealized = new Map<string, string>();
  #margin: Frame;
  #digest: string;
  /** False if the last update was only a digest: the values must be read. */
  isMarginKnown = true;
  readonly #snapshots: AccountSnapshots;

  constructor(snapshots: AccountSnapshots) {
    const { orders, fills, positions, account } = snapshots;
    this.#snapshots = snapshots;
    for (const order of orders) this.#orders.set(order.orderId, order);
    for (const fill of fills) this.#fills.set(fill.tradeId, fill);
    for (const position of positions.positions) this.#putPosition(position);
    this.#margin = pick(account, MARGIN_FIELDS);
    this.#digest = account.readModelDigest;
  }

  /** The sequence from which each channel is subscribed. */
  get fromSequences(): Readonly<Record<string, number>> {
    const { ordersSequence, fillsSequence, positions, account } = this.#snapshots;
    return {
      'account.orders': ordersSequence,
      'account.fills': fillsSequence,
      [positions.resync.stream]: positions.resync.fromSequence,
      'account.pnl': positions.resync.fromSequence,
      [account.resync.stream]: account.resync.fromSequence,
      'account.balance': account.resync.fromSequence,
    };
  }

  apply({ channel, data }: Frame): void {
    switch (channel) {
      case 'account.orders':
        for (const order of data.orders) this.#orders.set(order.orderId, order);
        break;
      case 'account.fills':
        for (const fill of data.fills) this.#fills.set(fill.tradeId, fill);
        break;
      case 'account.positions':
        for (const position of data.positions) this.#putPosition(position);
        for (const { positionId, marginStatus } of data.riskChanges) this.#marginStatus.set(positionId, marginStatus);
        break;
      case 'account.pnl':
        for (const { positionId, unrealizedPnlAtoms } of data.positions) this.#unrealized.set(positionId, unrealizedPnlAtoms);
        break;
      case 'account.margin':
        this.isMarginKnown = data.kind === 'values';
        if (!this.isMarginKnown) break;
        this.#margin = pick(data, MARGIN_FIELDS);
        this.#digest = data.readModelDigest;
    }
  }

  /** All state that the channels establish, in the same form from any snapshots and updates. */
  known(): object {
    const open = [...this.#positions.values()].filter(({ status }) => status === 'open');
    return {
      orders: ordered(this.#orders.values(), 'orderId'),
      fills: ordered(this.#fills.values(), 'tradeId'),
      positions: ordered(open, 'positionId'),
      marginStatus: open.map(({ positionId }) => [positionId, this.#marginStatus.get(positionId)]),
      unrealized: open.map(({ positionId }) => [positionId, this.#unrealized.get(positionId)]),
      ...(this.isMarginKnown && { margin: this.#margin, digest: this.#digest }),
    };
  }

  marginStatusOf(positionId: string): string | undefined {
    return this.#marginStatus.get(positionId);
  }

  #putPosition(position: Frame): void {
    const durable = { ...position };
    for (const field of LIVE_FIELDS) delete durable[field];
    // A map keeps the order of first insertion, which is the order of position ids.
    this.#positions.set(position.positionId, durable);
    if (position.marginStatus !== null) this.#marginStatus.set(position.positionId, position.marginStatus);
    if (position.unrealizedPnlAtoms !== null) this.#unrealized.set(position.positionId, position.unrealizedPnlAtoms);
  }
}

function pick(from: Frame, fields: readonly string[]): Frame {
  return Object.fromEntries(fields.map((field) => [field, from[field]]));
}

function ordered(entries: Iterable<Frame>, key: string): readonly Frame[] {
  return [...entries].sort((left, right) => Number(left[key]) - Number(right[key]));
}
