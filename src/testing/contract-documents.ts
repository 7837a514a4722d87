/** The documents of the contract that are checked in under docs/, as they come out of the declarations now. */
import { asyncApiDocument } from '#contract/asyncapi.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { errorsPage } from './errors-page.ts';
import { limitsPage } from './limits-page.ts';

const openApi = openApiDocument();

/** Those that a machine reads: each passes the linter. */
export const MACHINE_DOCUMENTS = { 'openapi.json': openApi, 'asyncapi.json': asyncApiDocument() };

/** Those that a person reads. */
export const PAGES = { 'errors.md': errorsPage(openApi), 'limits.md': limitsPage(openApi) };
