/** The directory of the writer's thread, which reads few records, has the same keys and markets as the file, which folds all of them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINE_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { Venue } from '#venue/venue.ts';
import { CHAIN_START, GroupBuilder } from '#writer/journal/group.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { DIRECTORY_COMMANDS } from './command-effects.ts';
import { type DirectoryState, VenueDirectory } from './directory.ts';
import { historyOf, type Step, step } from './testing/any-history.ts';
import { holds, TIMEOUT_MS, within } from './testing/tried-histories.ts';

const FILE = 'engine/projection/directory.test.ts';

const KEYS = Array.from({ length: 4 }, (_, index) => `key-${index}`);
const MARKET_IDS = ['BTC-USD-PERP', 'ETH-USD-PERP', 'SOL-USD-PERP', 'X-USD-PERP'];
const EMPTY: DirectoryState = { sequence: 0 as Sequence, markets: [], apiKeys: [], switches: [] };

const account = fc.integer({ min: 3, max: 6 }).map((ordinal) => ordinal as AccountOrdinal);
/** Steps of the operator: opens and retires accounts, issues and revokes keys, lists markets. */
const administration = fc
  .tuple(
    fc.constantFrom('issue', 'issue', 'issue', 'revoke', 'revoke', 'retire', 'open', 'open', 'list'),
    account,
    fc.constantFrom(...KEYS),
    fc.nat(2),
  )
  .map(
    ([kind, who, keyId, roll]): Step =>
      (it) => {
        const expiresAtEpochMs = (roll === 0 ? it.now + 1_000 : 0) as EpochMs;
        const key = { account: who, keyId, digest: '0'.repeat(64), scopes: ['read'] as const, label: keyId, expiresAtEpochMs };
        if (kind === 'issue') it.run({ type: 'IssueApiKey', ...key });
        if (kind === 'revoke') it.run({ type: 'RevokeApiKey', account: who, keyId });
        if (kind === 'retire') it.run({ type: 'RetireAccount', account: who });
        if (kind === 'open') it.run({ type: 'OpenAccount', label: 'new', partyId: '', digestSeed: 7 });
        if (kind === 'list') {
          const specification = { ...FINE_MARKET, marketId: MARKET_IDS[2 + (roll % 2)]! };
          it.run({ type: 'ListMarket', specification, status: 'open' });
        }
      },
  );
const steps = fc.array(fc.oneof({ weight: 2, arbitrary: administration }, { weight: 1, arbitrary: step }), {
  maxLength: 60,
  size: 'max',
});

test('equals the file for any history, however it is grouped', { timeout: TIMEOUT_MS }, () => {
  holds(
    FILE,
    fc.property(steps, fc.nat(), (taken, cut) => {
      const { records } = historyOf(taken);
      const count = cut % records.length;
      within(':memory:', (projection) => {
        projection.follow({ records: records.slice(0, count), chainDigest: 'kept' });
        const [whole, goingOn] = [new VenueDirectory(EMPTY), new VenueDirectory(projection.directory())];
        projection.follow({ records: records.slice(count), chainDigest: 'all' });
        for (const group of storedGroups(records, count))
          for (const directory of [whole, goingOn])
            directory.follow(lastSequenceOf(group), recordsOfCommands(group, DIRECTORY_COMMANDS));
        const expected = seen(new VenueDirectory(projection.directory()));
        expect(seen(whole)).toEqual(expected);
        expect(seen(goingOn)).toEqual(expected);
      });
    }),
  );
});

test('the histories cover all commands that change it', () => {
  const events = fc.sample(steps, { seed: 1, numRuns: 100 }).flatMap((taken) => historyOf(taken).records.flatMap(changesOf));
  const everyWay = ['ListMarket MarketListed', 'IssueApiKey ApiKeyIssued', 'RevokeApiKey ApiKeyRevoked'];
  // Retiring revokes the keys of an account, and issuing a key revokes expired ones.
  const byOthers = ['RetireAccount ApiKeyRevoked', 'IssueApiKey ApiKeyRevoked'];
  expect(new Set(events)).toEqual(new Set([...everyWay, ...byOthers]));
});

const CHANGES: readonly VenueEvent['type'][] = ['MarketListed', 'ApiKeyIssued', 'ApiKeyRevoked'];

function changesOf({ command, events }: CommittedRecord): readonly string[] {
  return events.filter(({ type }) => CHANGES.includes(type)).map(({ type }) => `${command.type} ${type}`);
}

function seen(directory: VenueDirectory) {
  return {
    sequence: directory.sequence(),
    keys: KEYS.map((keyId) => directory.apiKey(keyId)),
    markets: MARKET_IDS.map((marketId) => {
      const listed = directory.listedMarket(marketId);
      return listed && [listed.market satisfies MarketOrdinal, listed.specification];
    }),
  };
}

/** The records as in the journal, in two groups: runs their commands once more. */
function storedGroups(records: readonly CommittedRecord[], cut: number): readonly StoredGroup[] {
  const venue = new Venue();
  return [records.slice(0, cut), records.slice(cut)]
    .filter(({ length }) => length > 0)
    .map((group, index) => {
      const builder = new GroupBuilder();
      builder.begin(index, group[0]!.sequence, CHAIN_START);
      for (const { sequence, epochMs, command } of group) {
        builder.openRecord({ sequence, epochMs, rulesVersion: 1, key: undefined }, command);
        venue.turn({ sequence, epochMs, command }, builder.events);
        builder.closeRecord();
      }
      builder.seal();
      return builder.sealed;
    });
}
