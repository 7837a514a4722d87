/**
 * Input of clients and the operator is checked to be a string or an array before its length is checked: the length of any other
 * object is whatever it says.
 */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { OPERATIONS } from '#contract/operations.ts';
import { authFrame, pingFrame, subscribeFrame, unsubscribeFrame } from '#contract/realtime.ts';
import { CHANNEL_NAMES, CHANNELS } from '#contract/realtime-channels.ts';
import { operatorAction } from '#operator/action.ts';

const operations = Object.entries(OPERATIONS).flatMap(([id, operation]) =>
  (['params', 'query', 'body'] as const).flatMap((part): [string, z.ZodType][] => {
    const schema = part in operation ? (operation as { [Part in typeof part]?: z.ZodType })[part] : undefined;
    return schema === undefined ? [] : [[`${part} of ${id}`, schema]];
  }),
);
const frames = CHANNEL_NAMES.flatMap((name): [string, z.ZodType][] => [
  [`subscribe ${name}`, subscribeFrame(CHANNELS[name])],
  [`unsubscribe ${name}`, unsubscribeFrame(CHANNELS[name])],
]);
const INPUTS: readonly (readonly [string, z.ZodType])[] = [
  ...operations,
  ...frames,
  ['auth', authFrame],
  ['ping', pingFrame],
  ['a line of the operator', operatorAction],
];

interface Check {
  readonly _zod: { readonly def: { readonly check: string; readonly when?: (payload: object) => boolean } };
}

function lengthChecksOf(schema: z.ZodType): readonly Check[] {
  const checks: Check[] = [];
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema }) => {
      const own = (zodSchema._zod.def as { checks?: Check[] }).checks ?? [];
      checks.push(...own.filter((it) => /length|size/.test(it._zod.def.check)));
    },
  });
  return checks;
}

test.each(INPUTS)('checks the type before the length in %s', (_, schema) => {
  for (const { _zod } of lengthChecksOf(schema)) {
    const { check, when } = _zod.def;
    expect(when?.({ value: 'text', issues: [] }), check).toBe(true);
    expect(when?.({ value: [], issues: [] }), check).toBe(true);
    expect(when?.({ value: { length: 1, size: 1 }, issues: [] }), check).toBe(false);
  }
});

test('covers many inputs', () => {
  expect(INPUTS.flatMap(([, schema]) => lengthChecksOf(schema)).length).toBeGreaterThan(100);
});
