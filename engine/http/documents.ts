/** Serves the contract itself: its documents as the venue that is configured so has them. They change with a start at most. */
import type { FastifyInstance } from 'fastify';
import { asyncApiDocument } from '#contract/asyncapi.ts';
import type { VenueLimits } from '#contract/contract-limits.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { OPERATIONS } from '#contract/operations.ts';
import type { Admission } from './admission.ts';
import type { Observe } from './observation.ts';
import { bindFile, preparedFile } from './prepared-file.ts';

const DOCUMENTS = { getOpenApi: openApiDocument, getAsyncApi: () => asyncApiDocument() } as const;

/** Operations that answer with a file, and have no handler. */
export type DocumentId = keyof typeof DOCUMENTS;

export function bindDocuments(server: FastifyInstance, limits: VenueLimits, admission: Admission, observe: Observe): void {
  for (const id of Object.keys(DOCUMENTS) as DocumentId[]) {
    const operation = OPERATIONS[id];
    const text = JSON.stringify(DOCUMENTS[id](limits));
    const file = preparedFile(operation.path, 'application/json; charset=utf-8', text);
    bindFile(server, file, admission.to(operation), observe(id));
  }
}
