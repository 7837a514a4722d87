/** The documents of the contract that are checked in under docs/, as they come out of the declarations now. */
import { asyncApiDocument } from '#contract/asyncapi.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { errorCodes } from './errors-page.ts';
import { limitTables } from './limits-page.ts';

const openApi = openApiDocument();
const asyncApi = asyncApiDocument();

/** Those that a machine reads: each passes the linter. */
export const MACHINE_DOCUMENTS = { 'openapi.json': openApi, 'asyncapi.json': asyncApi };

/** What pages have of them, which people write otherwise. */
export const GENERATED_PARTS = { 'errors.md': errorCodes(openApi), 'limits.md': limitTables(openApi, asyncApi) };
