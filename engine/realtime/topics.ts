/** The topics that have subscribers, by market and by account. */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { Connection, ConnectionTopic } from './connection.ts';
import { keyOf, type Subject, Topic } from './topic.ts';

export class Topics {
  readonly #byKey = new Map<string, ConnectionTopic>();
  readonly #ofMarket = new Map<MarketOrdinal, Set<ConnectionTopic>>();
  readonly #ofAccount = new Map<AccountOrdinal, Set<ConnectionTopic>>();

  /** Creates the topic if needed; then it has no updates up to `sequence`. */
  open(subject: Subject, sequence: number): ConnectionTopic {
    const found = this.#byKey.get(keyOf(subject));
    if (found !== undefined) return found;
    const topic = new Topic<Connection>(subject, sequence);
    this.#byKey.set(topic.key, topic);
    const group = this.#groupOf(subject);
    group.add(topic);
    return topic;
  }

  /** Removes the topic if it has no subscribers. */
  close(topic: ConnectionTopic): void {
    if (topic.connections.size > 0) return;
    this.#byKey.delete(topic.key);
    this.#groupOf(topic.subject).delete(topic);
    if ('account' in topic.subject && this.#ofAccount.get(topic.subject.account)?.size === 0)
      this.#ofAccount.delete(topic.subject.account);
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  ofMarket(market: MarketOrdinal): Iterable<ConnectionTopic> {
    return this.#ofMarket.get(market) ?? NONE;
  }

  ofAccount(account: AccountOrdinal): Iterable<ConnectionTopic> {
    return this.#ofAccount.get(account) ?? NONE;
  }

  accounts(): Iterable<AccountOrdinal> {
    return this.#ofAccount.keys();
  }

  /** Connections with a subscription to a channel of any market. */
  readonly marketConnections = (): Iterable<Connection> => connectionsOf(this.#ofMarket);

  /** Connections with a subscription to a channel of any account. */
  readonly accountConnections = (): Iterable<Connection> => connectionsOf(this.#ofAccount);

  #groupOf(subject: Subject): Set<ConnectionTopic> {
    const groups: Map<number, Set<ConnectionTopic>> = 'account' in subject ? this.#ofAccount : this.#ofMarket;
    const ordinal = 'account' in subject ? subject.account : subject.market.market;
    let group = groups.get(ordinal);
    if (group === undefined) {
      group = new Set();
      groups.set(ordinal, group);
    }
    return group;
  }
}

function connectionsOf(groups: ReadonlyMap<number, ReadonlySet<ConnectionTopic>>): ReadonlySet<Connection> {
  const connections = new Set<Connection>();
  for (const topics of groups.values()) for (const topic of topics) for (const it of topic.connections) connections.add(it);
  return connections;
}

const NONE: ReadonlySet<ConnectionTopic> = new Set();
