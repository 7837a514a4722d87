/**
 * API keys, retired accounts, listed markets and switches in the writer's own thread: a request needs them before it waits for anything.
 * Starts from the state of a projection and applies the few records of each group that change it.
 */
import type { Directory, StoredApiKey, SwitchesReport } from '#reads/reads.ts';
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { NAMED_CAPABILITIES } from '#venue/switches/capabilities.ts';
import { Switches } from '#venue/switches/switches.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { MarketScales } from './market-scales.ts';
import { ordersPlacedBy } from './order-fold.ts';
import { orderResource } from './order-resource.ts';
import type { SwitchRow } from './rows.ts';
import { applySwitch, switchRow } from './switch-fold.ts';

export interface DirectoryState {
  readonly sequence: Sequence;
  readonly markets: readonly (readonly [MarketOrdinal, MarketSpecification])[];
  readonly apiKeys: readonly StoredApiKey[];
  readonly switches: readonly SwitchRow[];
}

export class VenueDirectory implements Directory {
  readonly #markets = new Map<MarketOrdinal, MarketScales>();
  readonly #marketsById = new Map<string, MarketScales>();
  readonly #apiKeys = new Map<string, StoredApiKey>();
  readonly #switches = new Switches();
  #policySequence = 0;
  #sequence: Sequence;

  constructor({ sequence, markets, apiKeys, switches }: DirectoryState) {
    this.#sequence = sequence;
    for (const [market, specification] of markets) this.#list(market, specification);
    for (const key of apiKeys) this.#apiKeys.set(key.keyId, key);
    for (const row of switches) this.#switch(row);
  }

  /** Takes the records up to `last` whose commands are among `DIRECTORY_COMMANDS`. */
  follow(last: Sequence, records: readonly CommittedRecord[]): void {
    if (last <= this.#sequence) return;
    for (const record of records) {
      if (record.sequence > this.#sequence) for (const event of record.events) this.#fold(event, record);
    }
    this.#sequence = last;
  }

  sequence(): Sequence {
    return this.#sequence;
  }

  listedMarket(marketId: string): MarketScales | undefined {
    return this.#marketsById.get(marketId);
  }

  listedMarkets(): readonly MarketScales[] {
    return [...this.#markets.values()];
  }

  apiKey(keyId: string): StoredApiKey | undefined {
    return this.#apiKeys.get(keyId);
  }

  switches(): SwitchesReport {
    const { boundEnvironment, environment, status, switched } = this.#switches;
    const names = new Set([...NAMED_CAPABILITIES, ...switched.keys()]);
    const capabilities = [...names].map((name) => [name, this.#switches.isOn(name)]);
    return {
      environment,
      isBound: boundEnvironment !== undefined,
      status,
      capabilities: Object.fromEntries(capabilities),
      policySequence: this.#policySequence,
    };
  }

  placedOrders(record: CommittedRecord): ReturnType<Directory['placedOrders']> {
    return ordersPlacedBy(record.events, record).map((order) => orderResource(order, this.#markets.get(order.market)!));
  }

  #fold(event: VenueEvent, record: CommittedRecord): void {
    if (event.type === 'MarketListed' || event.type === 'MarketUpdated') this.#list(event.market, event.specification);
    if (event.type === 'ApiKeyIssued') {
      const { type: _, ...key } = event;
      this.#apiKeys.set(key.keyId, { ...key, issuedAtEpochMs: record.epochMs, isRevoked: false });
    }
    if (event.type === 'EnvironmentBound' || event.type === 'VenueStatusChanged' || event.type === 'CapabilitySet')
      this.#switch(switchRow(event, record));
    if (event.type === 'ApiKeyRevoked') this.#apiKeys.set(event.keyId, { ...this.#apiKeys.get(event.keyId)!, isRevoked: true });
  }

  #switch(row: SwitchRow): void {
    applySwitch(this.#switches, row);
    this.#policySequence = Math.max(this.#policySequence, row.sequence);
  }

  #list(market: MarketOrdinal, specification: MarketSpecification): void {
    const scales = new MarketScales(market, specification);
    this.#markets.set(market, scales);
    this.#marketsById.set(specification.marketId, scales);
  }
}
