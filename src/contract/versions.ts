/** The versions of resources: all that the interface names, implemented here or not, and our own. */
import type { Json } from './openapi-schemas.ts';
import { REALTIME_VERSION } from './realtime.ts';

/** Section 9 of the interface, with the resource of each version. */
const INTERFACE_VERSIONS = {
  'external-order/v1': 'An order.',
  'external-limit-order-batch/v1': 'The outcomes of an order batch.',
  'external-withdrawal/v1': 'A withdrawal.',
  'external-account-snapshot/v1': 'An account.',
  'external-position-snapshot/v1': 'The open positions of an account.',
  'external-market-catalog/v1': 'All markets.',
  'external-transfer-history/v1': 'Deposits and withdrawals of an account.',
  'external-affiliate-profile/v1': 'The affiliate profile of an account.',
  'external-kyc-status/v1': 'The KYC status of an account holder.',
  'external-market-favorite/v1': 'A favorite.',
  'external-rest-error/v1': 'The response to a refused request.',
  'local-signing/v2': 'Deposits and withdrawals signed by their owner.',
  'account-passkeys/v1': 'The passkeys of an account.',
  'faucet-grant/v1': 'Test funds for an account.',
  'agent-strategy-catalog/v1': 'Strategies that agents can run.',
  [REALTIME_VERSION]: 'The realtime service: its frames are in GET /asyncapi.json.',
} as const;

interface PublishedVersion {
  /** The resource of this version; for our own versions the schema describes it. */
  readonly of?: string;
  /** The schemas with this version. */
  readonly schemas: readonly string[];
  /** False if no operation returns it yet. */
  readonly isServed: boolean;
  /** Not named by the interface. */
  readonly isOurs?: true;
}

/** Versions of the interface first. */
export function publishedVersions(schemas: Json): Readonly<Record<string, PublishedVersion>> {
  const found = versionsIn(schemas);
  const named = Object.entries(INTERFACE_VERSIONS).map(([version, of]): [string, PublishedVersion] => {
    const holders = found.get(version) ?? [];
    return [version, { of, schemas: holders, isServed: holders.length > 0 || version === REALTIME_VERSION }];
  });
  const ours = [...found].filter(([version]) => !(version in INTERFACE_VERSIONS));
  return Object.fromEntries([
    ...named,
    ...ours.map(([version, holders]) => [version, { schemas: holders, isServed: true, isOurs: true }]),
  ]);
}

/** The ids of the schemas with a version, by version. */
function versionsIn(schemas: Json): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [id, schema] of Object.entries(schemas as Record<string, { properties?: { version?: { const?: string } } }>)) {
    const version = schema.properties?.version?.const;
    if (version !== undefined) found.set(version, [...(found.get(version) ?? []), id]);
  }
  return found;
}
