/** Every command has a test of its rule: reads the sources of the core's tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from './command-rules.ts';

/** These tests cover the bytes of every command, not its rule. */
const RECORDS = 'record';

const sources = (readdirSync(import.meta.dirname, { recursive: true }) as string[])
  .filter((path) => path.endsWith('.test.ts') && !path.startsWith(RECORDS))
  .map((path) => readFileSync(join(import.meta.dirname, path), 'utf8'));

test.each(Object.keys(COMMANDS))('a test of the core has a command of type %s', (type) => {
  expect(sources.some((source) => source.includes(`type: '${type}'`))).toBe(true);
});
