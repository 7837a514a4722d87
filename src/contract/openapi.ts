/** The contract as an OpenAPI 3.1 document, generated from the declarations and from nothing else. */

import { contractLimits, DEFAULT_VENUE_LIMITS, declaredLimits, type VenueLimits } from './contract-limits.ts';
import type { ErrorCode } from './errors.ts';
import { ERROR_CODES, ERRORS } from './errors.ts';
import { OPERATION_GROUPS } from './groups.ts';
import {
  codesOf,
  componentExamples,
  componentHeaders,
  responsesOf,
  UNROUTED_CODES,
  unroutedResponses,
} from './openapi-answers.ts';
import { componentParameters, operationObject } from './openapi-operation.ts';
import { componentSchemas, type Json, withCodes } from './openapi-schemas.ts';
import { shareResponses } from './openapi-sharing.ts';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { CONTRACT_VERSION } from './system.ts';
import { publishedVersions } from './versions.ts';

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

const ALL_OPERATIONS: readonly Operation[] = Object.values(OPERATIONS);
/** By its operations, what a document declares; made once. */
const declared = new Map<readonly Operation[], ReturnType<typeof declaredParts>>();

/** Of a venue that is configured with these limits. Documents share their parts. */
export function openApiDocument(limits: VenueLimits = DEFAULT_VENUE_LIMITS, operations: readonly Operation[] = ALL_OPERATIONS) {
  const parts = partsOf(operations);
  return { ...parts, 'x-openperp-limits': contractLimits(parts['x-openperp-limits'], limits) };
}

function partsOf(operations: readonly Operation[]) {
  const known = declared.get(operations) ?? declaredParts(operations);
  declared.set(operations, known);
  return known;
}

/** All that does not depend on how a venue is configured. */
function declaredParts(operations: readonly Operation[]) {
  const { responses, responsesOfEach } = shareResponses(operations.map((operation) => responsesOf(operation)));
  const paths: Record<string, Json> = {};
  for (const [index, operation] of operations.entries()) {
    const object = { ...operationObject(operation), responses: responsesOfEach[index] };
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: object };
  }
  const codes = codesOf(operations);
  const schemas = withCodes(componentSchemas(operations), publishedCodes(codes));
  return {
    openapi: '3.1.0' as const,
    info: {
      title: 'OpenPerp',
      version: CONTRACT_VERSION,
      summary: 'A perpetual-futures venue.',
      description:
        'Fields and operations marked x-openperp-ours are not in the interface that the venue implements. A field without a value is null; ' +
        'only cancelReason, and in an error the details that its code does not have, are left out. Every answer carries ' +
        'x-request-id. A path that answers GET answers HEAD alike, and OPTIONS says what can be asked. Pages of any origin may call ' +
        'every operation: there are no cookies, so credentials are not allowed, and a bearer has to be sent explicitly. ' +
        'Requests are limited per API key and account, those without a bearer per network: RateLimit-Policy and RateLimit say what is ' +
        'left, and 429 says in Retry-After how many seconds to wait. The limits that this venue runs with are in x-openperp-limits, every error code with its cause and remedy in ' +
        'x-openperp-errors, the versions of its resources in x-openperp-versions.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The venue that serves this document.' }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key of the venue: opk_…' } },
      parameters: componentParameters,
      headers: componentHeaders(),
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

/** All groups of the interface, those without an operation too: each says so. */
function tagsOf(operations: readonly Operation[]) {
  return Object.entries(OPERATION_GROUPS).map(([name, description]) => {
    const isEmpty = operations.every(({ group }) => group !== name);
    return { name, description: isEmpty ? `${description} This venue has none of its operations yet.` : description };
  });
}

/** Those that answer where there is no operation, too. The catalogue has more: the operator meets those, and no client. */
function publishedCodes(codes: readonly ErrorCode[]): readonly ErrorCode[] {
  return ERROR_CODES.filter((code) => codes.includes(code) || UNROUTED_CODES.includes(code));
}
