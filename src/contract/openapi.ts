/** The contract as an OpenAPI 3.1 document, generated only from the declarations. */

import { contractLimits, DEFAULT_VENUE_LIMITS, declaredLimits, type VenueLimits } from './contract-limits.ts';
import { DEFAULT_ENVIRONMENT, type Environment } from './environments.ts';
import type { ErrorCode } from './errors.ts';
import { ERROR_CODES, ERRORS } from './errors.ts';
import { OPERATION_GROUPS } from './groups.ts';
import { componentParameters, operationObject } from './openapi-operation.ts';
import {
  codesOf,
  componentExamples,
  componentHeaders,
  responsesOf,
  UNROUTED_CODES,
  unroutedResponses,
} from './openapi-responses.ts';
import { componentSchemas, type Json, withNarrowedEnvelope } from './openapi-schemas.ts';
import { shareResponses } from './openapi-sharing.ts';
import type { Operation } from './operation.ts';
import { operationsIn } from './operations.ts';
import { CONTRACT_VERSION } from './system.ts';
import { publishedVersions } from './versions.ts';

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The declared parts of a document, by its operations; built once. */
const declared = new Map<readonly Operation[], ReturnType<typeof declaredParts>>();

/** The document of a venue with these limits, in this environment. */
export function openApiDocument(limits: VenueLimits = DEFAULT_VENUE_LIMITS, environment: Environment = DEFAULT_ENVIRONMENT) {
  return { ...documentOf(operationsIn(environment), limits), 'x-openperp-environment': environment };
}

/** The document of these operations. Documents of one list share their parts. */
export function documentOf(operations: readonly Operation[], limits: VenueLimits) {
  const parts = partsOf(operations);
  return { ...parts, 'x-openperp-limits': contractLimits(parts['x-openperp-limits'], limits) };
}

function partsOf(operations: readonly Operation[]) {
  const known = declared.get(operations) ?? declaredParts(operations);
  declared.set(operations, known);
  return known;
}

/** The parts that do not depend on the configuration of the venue. */
function declaredParts(operations: readonly Operation[]) {
  const { responses, responsesOfEach } = shareResponses(operations.map((operation) => responsesOf(operation)));
  const paths: Record<string, Json> = {};
  for (const [index, operation] of operations.entries()) {
    const object = { ...operationObject(operation), responses: responsesOfEach[index] };
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: object };
  }
  const codes = codesOf(operations);
  const schemas = withNarrowedEnvelope(componentSchemas(operations), operations, publishedCodes(codes));
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'OpenPerp',
      version: CONTRACT_VERSION,
      summary: 'A perpetual-futures venue.',
      description:
        'Requests are limited per API key and account; requests without an API key are limited per network. RateLimit-Policy and RateLimit ' +
        'give the limits and the remaining tokens, and 429 gives the seconds to wait in Retry-After. The limits of this venue are in ' +
        'x-openperp-limits, every error code with its cause and remedy in x-openperp-errors, the versions of the resources in ' +
        'x-openperp-versions. x-openperp-environment is the environment of this venue: operations that it does not have are ' +
        'absent. A field without a value is null; only cancelReason, and the details of an error that its code does not ' +
        'have, are left out. Every response has x-request-id. A path with GET also accepts HEAD, and OPTIONS lists the methods. Pages of ' +
        'any origin can call every operation. There are no cookies: send the API key, or the session, as a bearer, without CORS credentials. Fields and ' +
        'operations marked x-openperp-ours are not in the interface that the venue implements.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The venue that serves this document.' }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key of the venue: opk_…' },
        session: { type: 'http', scheme: 'bearer', description: "An owner's session: ops_…" },
      },
      parameters: componentParameters,
      headers: componentHeaders(operations),
      responses,
      schemas,
      examples: componentExamples(operations),
    },
    'x-openperp-versions': publishedVersions(schemas),
    'x-openperp-limits': declaredLimits(operations),
    'x-openperp-errors': Object.fromEntries(publishedCodes(codes).map((code) => [code, ERRORS[code]])),
    'x-openperp-unrouted': unroutedResponses(),
  };
}

/** All groups of the interface. A group without operations says so. */
function tagsOf(operations: readonly Operation[]) {
  return Object.entries(OPERATION_GROUPS).map(([name, description]) => {
    const isEmpty = operations.every(({ group }) => group !== name);
    return { name, description: isEmpty ? `${description} This venue does not support its operations yet.` : description };
  });
}

/** The codes that clients can receive, including those for unknown paths. The rest of the catalogue is for the operator. */
function publishedCodes(codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return ERROR_CODES.filter((code) => codes.includes(code) || UNROUTED_CODES.includes(code));
}
