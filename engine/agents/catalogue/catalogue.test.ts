/** The catalogue is complete, bounded, and true to its own rules: order, scripts, sources and parameters. */
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agentStrategyCatalogue, MAX_CATALOGUE_BYTES } from '#contract/agent-strategies.ts';
import { STRATEGY_CATALOGUE } from './catalogue.ts';

const { strategies } = STRATEGY_CATALOGUE;
const fitting = strategies.filter(({ pineSubsetFit }) => pineSubsetFit);

test('fits its published schema and size', () => {
  expect(agentStrategyCatalogue.parse(STRATEGY_CATALOGUE)).toEqual(STRATEGY_CATALOGUE);
  expect(Buffer.byteLength(JSON.stringify(STRATEGY_CATALOGUE))).toBeLessThanOrEqual(MAX_CATALOGUE_BYTES);
});

test('lists at least 12 strategies that fit the script subset, before at least 2 that do not', () => {
  expect(fitting.length).toBeGreaterThanOrEqual(12);
  expect(strategies.length - fitting.length).toBeGreaterThanOrEqual(2);
  expect(strategies.slice(0, fitting.length)).toEqual(fitting);
});

test('has each id and name once', () => {
  expect(new Set(strategies.map(({ id }) => id)).size).toBe(strategies.length);
  expect(new Set(strategies.map(({ name }) => name)).size).toBe(strategies.length);
});

test('ships exactly the scripts of the strategies that fit', () => {
  const files = readdirSync(new URL('scripts', import.meta.url));
  expect(files.sort()).toEqual(fitting.map(({ id }) => `${id}.pine`).sort());
  for (const { script } of fitting) expect(script).toMatch(/^\/\/@version=6\nstrategy\("/);
  for (const { pineSubsetFit, script } of strategies) expect(script === null).toBe(!pineSubsetFit);
});

describe.each(strategies)('$id', ({ name, script, parameters, publicStats, sourceUrl, termsUrl, ...entry }) => {
  test('has defaults within their bounds, and each parameter once', () => {
    for (const parameter of parameters) {
      expect(parameter.min).toBeLessThan(parameter.max);
      expect(parameter.default).toBeGreaterThanOrEqual(parameter.min);
      expect(parameter.default).toBeLessThanOrEqual(parameter.max);
    }
    expect(new Set(parameters.map((parameter) => parameter.name)).size).toBe(parameters.length);
  });

  test('names a commit in addresses of repositories', () => {
    for (const address of [sourceUrl, termsUrl, ...publicStats.map((stat) => stat.sourceUrl)])
      if (new URL(address).hostname === 'github.com') expect(address).toMatch(/\/blob\/[0-9a-f]{40}\//);
  });

  test('refers to sources only, if terms that permit more were not read', () => {
    expect(entry.usageAllowed === 'reference_only').toBe(/not read/.test(entry.termsSummary));
  });

  test('has texts of one line each', () => {
    const texts = [name, ...Object.values(entry).filter((value) => typeof value === 'string')];
    for (const text of texts) expect(text).toMatch(/^[\x20-\x7e]+$/);
  });

  test('has the title of its script', () => {
    if (script !== null) expect(script.split('\n')[1]).toContain(`strategy("${name}"`);
  });
});
