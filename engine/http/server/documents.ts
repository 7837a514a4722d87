/**
 * Serves the contract's documents, rendered for this venue's configuration, and the strategy catalogue of the release. They change only
 * with a restart.
 */
import type { FastifyInstance } from 'fastify';
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import { asyncApiDocument, type RealtimeUrl } from '#contract/asyncapi.ts';
import type { VenueLimits } from '#contract/contract-limits.ts';
import { type Environment, existsIn } from '#contract/environments.ts';
import { openApiDocument } from '#contract/openapi.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { parseQuery } from '#contract/parse.ts';
import { Refused } from '#contract/refused.ts';
import type { Admission, Admit } from '#http/access/admission.ts';
import type { Observe } from './observation.ts';
import { bindFile, preparedFile } from './static-file.ts';

/** The configuration that the documents show. */
export interface DocumentedVenue {
  readonly environment: Environment;
  readonly limits: VenueLimits;
  /** The URL by which clients reach the realtime service. */
  readonly realtimeUrl: RealtimeUrl;
}

const DOCUMENTS = {
  getOpenApi: ({ environment, limits }: DocumentedVenue) => openApiDocument(limits, environment),
  getAsyncApi: ({ environment, realtimeUrl }: DocumentedVenue) => asyncApiDocument(realtimeUrl, environment),
  listStrategies: () => STRATEGY_CATALOGUE,
} as const;

/** Operations whose response is a file, without a handler. */
export type DocumentId = keyof typeof DOCUMENTS;

export function bindDocuments(server: FastifyInstance, venue: DocumentedVenue, admission: Admission, observe: Observe): void {
  for (const id of Object.keys(DOCUMENTS) as DocumentId[]) {
    const operation: Operation = OPERATIONS[id];
    if (existsIn(venue.environment, operation)) bindDocument(server, operation, DOCUMENTS[id](venue), admission, observe);
  }
}

/** Binds an operation to a document that does not change. */
export function bindDocument(
  server: FastifyInstance,
  operation: Operation,
  document: object,
  admission: Pick<Admission, 'to'>,
  observe: Observe,
): void {
  const file = preparedFile(operation.path, 'application/json; charset=utf-8', JSON.stringify(document));
  bindFile(server, file, admitTo(operation, admission), observe(operation.id));
}

/** Checks the query of an operation that has no handler. */
function admitTo(operation: Operation, admission: Pick<Admission, 'to'>): Admit {
  const admit = admission.to(operation);
  return async (request, reply) => {
    await admit(request, reply);
    const query = parseQuery(operation, request.query);
    if ('fault' in query) throw new Refused('invalid_request', query.fault);
    return undefined;
  };
}
