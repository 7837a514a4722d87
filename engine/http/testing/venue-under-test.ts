/**
 * The real venue behind the real server, in one thread: core, writer with its journal on disk, projection, HTTP on a free port.
 * Tests can plant faults between the parts.
 */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_ENVIRONMENT, type Environment } from '#contract/environments.ts';
import { DEFAULT_RATES, type Rates } from '#contract/limits.ts';
import { openGateway } from '#gateway/gateway.ts';
import { unifiedView } from '#gateway/unified-view.ts';
import { openOrdersIn } from '#host/open-orders.ts';
import { countersInProcess } from '#http/access/rate-counters.ts';
import type { HttpLimits } from '#http/server/ports.ts';
import { DEFAULT_HTTP_LIMITS } from '#http/server/ports.ts';
import { createHttpServer } from '#http/server/server.ts';
import { type ExpiringEntry, MemoryExpiringStore } from '#identity/expiring-store.ts';
import { openOwnerStores } from '#identity/owner-stores.ts';
import { LOCAL_PROVIDER, type SignInProvider } from '#identity/sign-in/providers.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { relyingPartyOf } from '#identity/webauthn/relying-party.ts';
import {
  DIRECTORY_COMMANDS,
  openProjection,
  SETTLEMENT_COMMANDS,
  VenueDirectory,
  VenueOwnerDirectory,
} from '#projection/projection.ts';
import type { Reader } from '#reads/reader.ts';
import { proxyReads, renderRead, resourceReads } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import type { Sequence } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import { type Submit, VenueHalted } from '#writer/port/submit.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { openWriter } from '#writer/writer.ts';
import { drivenVenue } from './driven-venue.ts';
import { KnownSecrets } from './known-secrets.ts';
import { BITCOIN, UNLISTED } from './markets.ts';
import type { OwnedStores } from './owned-stores.ts';
import { openSettlement } from './test-settlement.ts';

export { type Bot, envelopeIn, expectDeclared, type Request, type VenueResponse } from './driven-venue.ts';

/** Faults that a test plants between the server and the venue. */
export interface PlantedFaults {
  submit?: Error | undefined;
  /** Awaited before a submission or a preview, with its command. It fails if this throws or rejects. */
  beforeSubmit?: ((command: Command) => unknown) | undefined;
  reads?: Error | undefined;
  /** Awaited before each read. */
  beforeRead?: (() => unknown) | undefined;
  /** No account has an owner. Sessions stay. */
  hidesOwners?: boolean | undefined;
  /** Faults of the API key lookup. */
  keys?: Error | undefined;
  /** A fault of either of the server's clocks, once: the next reading works again. */
  clock?: Error | undefined;
  notReady?: string | undefined;
}

export type VenueUnderTest = Awaited<ReturnType<typeof startVenue>>;

/** Starts with one open market, {@link BITCOIN}, with its index at 65,000. */
export async function startVenue({
  environment = DEFAULT_ENVIRONMENT,
  rates,
  settles = environment === 'local' || environment === 'development',
  signInProviders = [{ kind: 'local', id: LOCAL_PROVIDER, name: 'Local development' }],
  maxPerOwner,
  owned,
  ...limits
}: Partial<Omit<HttpLimits, 'rates'>> & {
  environment?: Environment;
  rates?: Partial<Rates>;
  signInProviders?: readonly SignInProvider[];
  /** The maximum of one owner in each store of sessions, challenges and device grants. */
  maxPerOwner?: number;
  /** Whether it has an external ledger. */
  settles?: boolean;
  /** Its time and stores, if the test owns them. */
  owned?: OwnedStores;
} = {}) {
  const directory = lockDirectory(mkdtempSync(join(tmpdir(), 'openperp-http-')));
  let at = 1_700_000_000_000;
  const clock = owned?.time ?? { now: () => epochMs(++at) };
  const steadyClock = owned?.time ?? { elapsedMs: () => at };
  const timers = owned?.time ?? systemTime.timers;
  const projection = openProjection(join(directory.path, 'projection.sqlite'));
  const venueDirectory = new VenueDirectory(projection.directory());
  let owners: VenueOwnerDirectory | undefined;
  let settlement: Awaited<ReturnType<typeof openSettlement>> | undefined;
  const writer = await openWriter({
    files: owned?.journalFiles ?? (await nodeFiles(directory, 'journal')),
    clock,
    steadyClock,
    timers,
    rules: venueRules,
    follow: (group) => {
      const stored = group.stored!;
      const settlementRecords = recordsOfCommands(stored, SETTLEMENT_COMMANDS);
      venueDirectory.follow(lastSequenceOf(stored), recordsOfCommands(stored, DIRECTORY_COMMANDS));
      owners?.follow(lastSequenceOf(stored), settlementRecords);
      projection.follow(group);
      settlement?.coordinator.follow(settlementRecords);
    },
    followFrom: projection,
    onHalt: (halt) => internalErrors.push(halt),
    // Each write copies a file that is in memory.
    limits: owned === undefined ? {} : { segmentBytes: 1 << 16 },
  });
  owners = writer.peek(({ state }) => new VenueOwnerDirectory(state, writer.recovered.sequence));
  projection.live(writer.time);
  const planted: PlantedFaults = {};
  const internalErrors: unknown[] = [];
  const readers: Reader[] = [];
  const unified = unifiedView(() => projection.reads.marketCatalogue().markets);
  const responses = resourceReads(withPlantedFaults(projection.reads, planted));
  const ofRequests = withPlantedFaults(venueDirectory, planted);
  const secrets = new KnownSecrets();
  const submit: Submit = (submission) => {
    secrets.learnCommand(submission.command);
    return writer.submit(submission);
  };
  const serverClock = { now: withPlantedFault(() => clock.now(), planted) };
  const ownerStores = openOwnerStores(
    (_, capacity) =>
      withPlantedStoreFaults(
        new MemoryExpiringStore({ ...capacity, ...(maxPerOwner && { maxPerOwner, maxPerSite: maxPerOwner }) }),
        planted,
        (entry) => secrets.learnEntry(entry),
      ),
    serverClock,
  );
  settlement = settles
    ? await openSettlement({
        files: owned?.ledgerFiles ?? (await nodeFiles(directory, 'ledger')),
        owners,
        submit,
        switches: () => venueDirectory.switches(),
        clock: writer.time,
        timers,
        onInternalError: (error) => internalErrors.push(error),
      })
    : undefined;
  const tickets = new Tickets({
    store: withPlantedStoreFaults(new MemoryTicketStore(), planted),
    findApiKey: (keyId) => ofRequests.apiKey(keyId),
    sessions: ownerStores.sessions,
    owners,
    clock: serverClock,
  });
  const server = createHttpServer({
    settlement: settlement && (owned?.awaited(settlement.coordinator) ?? settlement.coordinator),
    ...ownerStores,
    signInProviders,
    relyingParty: () => relyingPartyOf('http://localhost:8080'),
    environment,
    submit: async (submission) => {
      await met(planted, submission.command);
      return submit(submission);
    },
    findOutcome: writer.findOutcome,
    recordDigest: (sequence) => writer.recordDigest(sequence),
    previewOrder: async (command) => {
      await met(planted, command);
      return writer.readAtCommit((it, now) => it.preview(command, now));
    },
    openOrders: {
      ...openOrdersIn(writer),
      cancelTimers: async (account) => {
        if (planted.reads instanceof VenueHalted) throw planted.reads;
        return openOrdersIn(writer).cancelTimers(account);
      },
    },
    directory: ofRequests,
    owners: withPlantedFaults(owners, planted),
    readsFor: (reader) => {
      readers.push(reader);
      return proxyReads(async (name, args) => {
        await planted.beforeRead?.();
        return renderRead(responses, name, args, reader.form === 'unified' ? unified : undefined);
      });
    },
    realtimeUrl: 'ws://localhost:8081',
    pricedUnderlyings: [BITCOIN, UNLISTED],
    openGateway,
    tickets,
    clock: serverClock,
    steadyClock: systemTime.steadyClock,
    timers: systemTime.timers,
    status: () => ({
      isReady: planted.notReady === undefined,
      reasons: planted.notReady === undefined ? [] : [planted.notReady],
    }),
    limits: { ...DEFAULT_HTTP_LIMITS, ...limits, rates: { ...DEFAULT_RATES, ...rates } },
    rateCounters: countersInProcess({ elapsedMs: withPlantedFault(() => steadyClock.elapsedMs(), planted) }),
    observe: () => () => {},
    onInternalError: (error) => internalErrors.push(error),
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;

  const driven = await drivenVenue({
    port,
    submit,
    sessions: ownerStores.sessions,
    sequence: () => projection.sequence,
    clock: owned?.time ?? { now: () => epochMs(at) },
    isListed: owned?.isUsed === true,
    internalErrors,
    secrets,
  });
  return {
    ...driven,
    planted,
    /** The owners as the durable state has them. */
    owners,
    /** The realtime tickets, which a socket authenticates. */
    tickets,
    /** The external ledger, and its bad connection; undefined on a venue without one. */
    settlement,
    /** SHA-256 of the whole state of the core, in hex. */
    stateDigest: () =>
      hash(
        'sha256',
        writer.peek((core) => core.snapshot()),
        'hex',
      ),
    /** Of the bytes of a durable record. */
    recordDigest: (sequence: number) => writer.recordDigest(sequence as Sequence),
    /** The reader of each read, in order. */
    readers,
    /** Advances the wall clock and the steady clock, and returns the new time. */
    pass: (ms: number): number => {
      at += ms;
      return at;
    },

    /** Marks the projection as halted. */
    publishHalted: () => projection.halted(),

    /** Halts the writer. */
    halt: () => writer.stopFollowing(new Error('planted')),

    async close(): Promise<void> {
      await server.close();
      await settlement?.close();
      await writer.close();
      projection.close();
      directory.release();
      rmSync(directory.path, { recursive: true });
    },
  };
}

/** Applies the faults planted for submissions. */
async function met({ submit, beforeSubmit }: PlantedFaults, command: Command): Promise<void> {
  if (submit !== undefined) throw submit;
  await beforeSubmit?.(command);
}

/** Applies the faults planted for submissions to calls of a store too, as those of an unavailable one. */
function withPlantedStoreFaults<Store extends object>(
  store: Store,
  planted: PlantedFaults,
  onAdd?: (entry: ExpiringEntry) => void,
): Store {
  return new Proxy(store, {
    get:
      (_, name) =>
      async (...args: readonly unknown[]) => {
        if (planted.submit !== undefined) throw planted.submit;
        if (name === 'add') onAdd?.(args[0] as ExpiringEntry);
        return (store[name as keyof Store] as (...args: unknown[]) => unknown).apply(store, [...args]);
      },
  });
}

function withPlantedFaults<Port extends object>(port: Port, planted: PlantedFaults): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const fault = name === 'apiKey' ? planted.keys : planted.reads;
      // The switches are in memory, and some requests read them before anything else.
      if (fault !== undefined && name !== 'switches') throw fault;
      if (name === 'owner' && planted.hidesOwners) return () => undefined;
      return (target[name as keyof Port] as () => unknown).bind(target);
    },
  });
}

function withPlantedFault<Time extends number>(read: () => Time, planted: PlantedFaults): () => Time {
  return () => {
    const fault = planted.clock;
    planted.clock = undefined;
    if (fault !== undefined) throw fault;
    return read();
  };
}
