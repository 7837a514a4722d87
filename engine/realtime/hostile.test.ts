/**
 * Hostile frames, generated from the schemas and then corrupted: nothing breaks, every response is as declared, and updates
 * continue. `OPENPERP_HOSTILE_FRAMES=10000 npx vitest run engine/realtime/hostile.test.ts` sends that many of each kind.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { authFrame, pingFrame, subscribeFrame, unsubscribeFrame } from '#contract/realtime.ts';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS } from '#contract/realtime-channels.ts';
import { repeatable } from '#http/testing/seeds.ts';
import { eventually } from '#time/testing/eventually.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';

const FRAMES = Number(process.env.OPENPERP_HOSTILE_FRAMES ?? 300);
const FILE = 'engine/realtime/hostile.test.ts';
/** Frames sent before their responses are checked. */
const BURST_FRAMES = 50;

type JsonSchema = Record<string, unknown> & { readonly properties?: Record<string, JsonSchema>; readonly required?: string[] };

const garbage = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    '\u0000',
    '9'.repeat(400),
    '../../etc',
    -1,
    0.5,
    1e308,
    2 ** 53,
    null,
    true,
    [],
    {},
  ),
);

/** A value that fits a field's schema, as far as the schema states it. */
function valid(name: string, schema: JsonSchema): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (name === 'marketId') return fc.constantFrom(MARKET_ID, MARKET_ID, 'DOGE-USD-PERP');
  if (name === 'accountId') return fc.constantFrom('acct-1', 'acct-1', 'acct-2');
  if (schema.type === 'integer') return fc.oneof(fc.nat(20), fc.nat());
  if (typeof schema.pattern === 'string' && schema.pattern.includes('{43}')) return fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
  return fc.string({ minLength: 1, maxLength: 64 });
}

/** A frame of a schema: mostly valid, sometimes with a corrupted, missing or unknown field. */
function frameOf(schema: z.ZodType): fc.Arbitrary<string> {
  // A named schema is a reference.
  const { $defs, ...plain } = z.toJSONSchema(z.strictObject({ it: schema }), { io: 'input' }) as JsonSchema;
  const named = Object.values(($defs ?? {}) as Record<string, JsonSchema>)[0];
  const { properties = {}, required = [] } = named ?? plain.properties!.it!;
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valid(name, field)]));
  const whole = fc.record(fields, { requiredKeys: required });
  const corrupted = fc
    .tuple(
      whole,
      fc.dictionary(fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string()), garbage, { minKeys: 1, maxKeys: 2 }),
    )
    .map(([frame, corrupts]) => ({ ...(frame as object), ...corrupts }));
  const missing = fc.record(fields, { requiredKeys: [] });
  return fc
    .oneof({ weight: 2, arbitrary: whole }, { weight: 3, arbitrary: corrupted }, missing)
    .map((frame) => JSON.stringify(frame));
}

const kinds: [string, fc.Arbitrary<string>][] = [
  ['auth', frameOf(authFrame)],
  ['ping', frameOf(pingFrame)],
  ...CHANNEL_NAMES.flatMap((name): [string, fc.Arbitrary<string>][] => [
    [`subscribe ${name}`, frameOf(subscribeFrame(CHANNELS[name] as Channel))],
    [`unsubscribe ${name}`, frameOf(unsubscribeFrame(CHANNELS[name] as Channel))],
  ]),
  ['no frame at all', fc.oneof(fc.json(), fc.string({ unit: 'binary' }), fc.constantFrom('', '{', '[]', '"', '{"op":"ping"}}'))],
];

const LIMITS = { frameBurst: 10 ** 9, failedAuthBurst: 10 ** 9, maxFailedAuths: 10 ** 9, maxFrameBytes: 65_536, aheadMs: 5 };

test.each(kinds)(
  '%s: every response is as declared',
  async (kind, frame) => {
    const service = await RecordedService.start(undefined, LIMITS);
    const { history } = service;
    const client = kind === 'auth' ? await service.connect() : await service.connectAs(1);
    const watcher = await service.connect();
    await watcher.subscribed('market.price', { marketId: MARKET_ID });
    let [responses, expected] = [0, 0];
    client.onFrame(({ type }) => {
      if (type !== 'update') responses += 1;
    });
    const burst = fc.array(frame, { minLength: BURST_FRAMES, maxLength: BURST_FRAMES, size: 'max' });
    await fc.assert(
      fc.asyncProperty(burst, async (texts) => {
        for (const text of texts) client.send(text);
        history.price(10_000 + (history.records.length % 7));
        service.publish();
        await client.drained();
        expected += texts.length + 1;
        expect(client.closed).toBeUndefined();
        client.demandValid();
        expect(service.internalErrors).toEqual([]);
        client.frames.length = 0;
      }),
      { ...repeatable(FILE, Math.max(1, Math.ceil(FRAMES / BURST_FRAMES))), endOnFailure: true },
    );
    // A subscription that waits for its sequence gets its response later.
    await eventually(() => expect(responses).toBe(expected));
    await watcher.until(({ type, sequence }) => type === 'update' && sequence === history.records.length);
  },
  600_000 + FRAMES * 20,
);
