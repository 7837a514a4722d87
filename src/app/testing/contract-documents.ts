/** The documents of the contract that are checked in under docs/, as the declarations generate them now. */
import { asyncApiDocument } from '#contract/asyncapi.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { environmentTable } from './environments-page.ts';
import { errorCodes } from './errors-page.ts';
import { limitTables } from './limits-page.ts';
import { strategyTables } from './strategies-page.ts';
import { transitionTables } from './transition-tables.ts';

const openApi = openApiDocument();
const asyncApi = asyncApiDocument();

/** The machine-readable documents, which must pass the linter. */
export const MACHINE_DOCUMENTS = { 'openapi.json': openApi, 'asyncapi.json': asyncApi };

/** The generated parts of pages that people write. */
export const GENERATED_PARTS = {
  'deposits-and-withdrawals.md': transitionTables(),
  'environments.md': environmentTable(),
  'errors.md': errorCodes(openApi),
  'limits.md': limitTables(openApi, asyncApi),
  'strategies.md': strategyTables(),
};
