/** System: is it alive, does it take orders, what does it offer. */
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
    reasons: ours(z.array(z.string()), 'Why the venue takes no orders; empty when it does.'),
    degraded: ours(
      z.array(z.string()),
      'What is away while the venue takes cancels and what reduces a position, and what is refused meanwhile.',
    ),
    journalSequence: ours(sequence, 'The newest sequence that reads show.'),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof readiness>;

export const getHealth = {
  id: 'getHealth',
  group: 'System',
  method: 'GET',
  path: '/health',
  summary: 'Liveness',
  description: 'The process answers. It says nothing about whether orders are taken: see GET /ready.',
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
    'Whether the venue takes orders, or at least cancels and what reduces a position: what is refused then, degraded says. Reads go on ' +
    'while it takes none.',
  access: 'none',
  isProbe: true,
  success: { status: 200, schema: readiness, description: 'Orders are taken, but for what degraded says.' },
  alternative: { status: 503, schema: readiness, description: 'No orders are taken; the reasons say why.' },
  refusals: [],
} as const satisfies Operation;

export const getOpenApi = {
  id: 'getOpenApi',
  group: 'System',
  method: 'GET',
  path: '/openapi.json',
  summary: 'The OpenAPI document',
  description: 'This contract as OpenAPI 3.1, generated from the declarations that the server runs on.',
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
  description: 'The realtime service as AsyncAPI 3.1.0, generated from the declarations that it runs on.',
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
