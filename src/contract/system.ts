/** System: liveness, readiness and the documents of the contract. */
import * as z from 'zod';
import { epochMs, ours, sequence } from './fields.ts';
import type { Operation } from './operation.ts';

export const CONTRACT_VERSION = '0.1.0';

export const health = z
  .strictObject({
    status: z.literal('ok'),
    contractVersion: ours(z.literal(CONTRACT_VERSION), 'The version of this contract.'),
    serverTimeEpochMs: ours(epochMs, "The venue's clock."),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof health>;

export const readiness = z
  .strictObject({
    status: z.enum(['ready', 'not_ready']),
    reasons: ours(z.array(z.string()), 'Why the venue does not accept orders; empty if it does.'),
    degraded: ours(
      z.array(z.string()),
      'What is unavailable, and what is refused because of it, while the venue accepts only some requests (such as cancels and orders that reduce a position).',
    ),
    environment: ours(z.string(), 'The environment that the venue belongs to for good: local, development, testnet or mainnet.'),
    venueStatus: ours(
      z.enum(['open', 'intake_paused', 'halted']),
      'What the operator set: paused intake refuses new risk and moving money, a halt refuses everything but cancels and reads.',
    ),
    capabilities: ours(
      z.record(z.string(), z.boolean()),
      'Whether each capability is on; sign-in providers, as provider:<id>, only if the operator switched them. registration is also off while passkeys have no site.',
    ),
    journalSequence: ours(sequence, 'The newest sequence that reads include.'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readiness>;

export const getHealth = {
  id: 'getHealth',
  group: 'System',
  method: 'GET',
  path: '/health',
  summary: 'Liveness',
  description: 'The process responds. Whether orders are accepted is reported by GET /ready.',
  access: 'none',
  isProbe: true,
  success: { status: 200, schema: health, description: 'Alive.' },
  refusals: [],
} as const satisfies Operation;

export const getReady = {
  id: 'getReady',
  group: 'System',
  method: 'GET',
  path: '/ready',
  summary: 'Readiness',
  description:
    'Whether the venue accepts orders, or at least cancels and orders that reduce a position; degraded lists what is refused. Reads also work ' +
    'while it does not accept orders.',
  access: 'none',
  isProbe: true,
  success: { status: 200, schema: readiness, description: 'Orders are accepted, except as degraded lists.' },
  alternative: { status: 503, schema: readiness, description: 'No orders are accepted; reasons lists why.' },
  refusals: [],
} as const satisfies Operation;

export const getOpenApi = {
  id: 'getOpenApi',
  group: 'System',
  method: 'GET',
  path: '/openapi.json',
  summary: 'The OpenAPI document',
  description: 'This contract as OpenAPI 3.1, generated from the declarations of the server.',
  access: 'none-or-bearer',
  hasEtag: true,
  success: {
    status: 200,
    schema: z.looseObject({ openapi: z.literal('3.1.0') }).meta({ id: 'OpenApiDocument' }),
    description: 'The document.',
  },
  refusals: [],
} as const satisfies Operation;

export const getAsyncApi = {
  id: 'getAsyncApi',
  group: 'System',
  method: 'GET',
  path: '/asyncapi.json',
  summary: 'The AsyncAPI document',
  description: 'The realtime service as AsyncAPI 3.1.0, generated from its declarations.',
  isOurs: true,
  access: 'none-or-bearer',
  hasEtag: true,
  success: {
    status: 200,
    schema: z.looseObject({ asyncapi: z.literal('3.1.0') }).meta({ id: 'AsyncApiDocument', 'x-openperp-ours': true }),
    description: 'The document.',
  },
  refusals: [],
} as const satisfies Operation;

export const systemOperations = { getHealth, getReady, getOpenApi, getAsyncApi };
