/** The OpenAPI document of a standalone gateway: /v2, and the health of the gateway and of its venue. */
import { DEFAULT_VENUE_LIMITS, type VenueLimits } from './contract-limits.ts';
import { documentOf } from './openapi.ts';
import type { Operation } from './operation.ts';
import { getHealth, getOpenApi, getReady } from './system.ts';
import { unifiedOperations } from './unified.ts';

export const GATEWAY_OPERATIONS: readonly Operation[] = [
  getHealth,
  { ...getReady, refusals: ['upstream_unavailable'] },
  getOpenApi,
  ...Object.values(unifiedOperations),
];

/** Without rates: the venue behind the gateway has those. */
export function gatewayDocument(limits: Omit<VenueLimits, 'rates'> = DEFAULT_VENUE_LIMITS) {
  const document = documentOf(GATEWAY_OPERATIONS, { ...DEFAULT_VENUE_LIMITS, ...limits });
  const { rates: _, ...own } = document['x-openperp-limits'];
  const groups = new Set<string>(GATEWAY_OPERATIONS.map(({ group }) => group));
  return {
    ...document,
    info: {
      ...document.info,
      title: 'OpenPerp gateway',
      summary: 'The unified API (/v2) in front of a venue.',
      description:
        'Access and rate limits are those of the venue behind the gateway. Responses have its headers RateLimit-Policy and RateLimit. The limits ' +
        'of the gateway itself are in x-openperp-limits.',
    },
    servers: [{ url: '/', description: 'The gateway that serves this document.' }],
    tags: document.tags.filter(({ name }) => groups.has(name)),
    'x-openperp-limits': own,
  };
}
