/**
 * Valid requests with a few edits, each aimed at a part of the declaration: a path or query parameter, a header, a field anywhere
 * in the body, or the text of the body.
 */
import fc from 'fast-check';
import * as z from 'zod';
import type { Operation } from '#contract/operation.ts';
import { Fields, hostileJson, hostileKey, hostileText, jsonText, nearlyValid } from './hostile-values.ts';
import { type JsonSchema, resolve } from './valid-value.ts';

/** A request as it is sent. */
export interface WireRequest {
  readonly params: Readonly<Record<string, string>>;
  /** In this order; a name may be repeated. */
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

/** The parts of a valid request, as JSON. */
export interface ValidParts {
  readonly params: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Edit = (request: Draft) => void;

interface Draft {
  readonly params: Record<string, string>;
  readonly query: [string, string][];
  readonly headers: Record<string, string>;
  body: unknown;
  /** The last edit of the body's text. */
  spoil: (text: string) => string | Buffer;
}

/** Edits for an operation; a quarter of the requests stay valid, so that they reach the handler. */
export function hostileRequests(operation: Operation): fc.Arbitrary<(valid: ValidParts) => WireRequest> {
  const edits = fc.oneof(
    { weight: 1, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(editOf(operation), { minLength: 1, maxLength: 3 }) },
  );
  return edits.map((created) => {
    const corrupted = (valid: ValidParts) => spoil(valid, created);
    return Object.assign(corrupted, { [fc.toStringMethod]: () => `a valid request with ${created.length} edits` });
  });
}

function spoil(valid: ValidParts, edits: readonly Edit[]): WireRequest {
  const draft: Draft = {
    params: { ...valid.params },
    query: [],
    headers: { ...valid.headers },
    body: valid.body,
    spoil: (text) => text,
  };
  for (const edit of edits) edit(draft);
  const { params, query, headers, body } = draft;
  return { params, query, headers, body: body === undefined ? undefined : draft.spoil(jsonText(body)) };
}

function editOf({ params, query, body, method }: Operation): fc.Arbitrary<Edit> {
  const kinds: { weight: number; arbitrary: fc.Arbitrary<Edit> }[] = [
    { weight: 2, arbitrary: headerEdit },
    { weight: 2, arbitrary: queryEdit(query) },
  ];
  if (params !== undefined) kinds.push({ weight: 3, arbitrary: paramEdit(Object.keys(params.shape)) });
  if (body !== undefined) kinds.push({ weight: 8, arbitrary: fieldEdit(body) });
  if (method !== 'GET') kinds.push({ weight: 1, arbitrary: textEdit });
  return fc.oneof(...kinds);
}

function paramEdit(names: readonly string[]): fc.Arbitrary<Edit> {
  return fc.record({ name: fc.constantFrom(...names), text: hostileText }).map(({ name, text }) => ({ params }) => {
    params[name] = text;
  });
}

function queryEdit(query: z.ZodObject | undefined): fc.Arbitrary<Edit> {
  const shape = query?.shape ?? {};
  const known = Object.keys(shape);
  const name =
    known.length === 0
      ? hostileKey
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: hostileKey });
  const nearly = known.flatMap((key) => nearlyValid(z.toJSONSchema(shape[key] as z.ZodType, { io: 'output' }))).map(String);
  const text = nearly.length === 0 ? hostileText : fc.oneof(hostileText, fc.constantFrom(...nearly));
  const suffix = fc.constantFrom('', '', '', '[]', '[a]', '.x');
  return fc.record({ name, suffix, text, twice: fc.boolean() }).map((edit) => ({ query: sent }) => {
    const pair: [string, string] = [edit.name + edit.suffix, edit.text];
    sent.push(pair);
    if (edit.twice) sent.push(pair);
  });
}

/** Without control characters and characters above one byte, which the client would refuse to send. */
const headerText = fc.oneof(
  fc.string({
    unit: fc
      .oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0xa0, max: 0xff }))
      .map((code) => String.fromCharCode(code)),
    maxLength: 300,
  }),
  fc.constantFrom(
    '',
    'Bearer',
    'Bearer ',
    'bearer opk_',
    'a'.repeat(4_000),
    'x, y',
    '*',
    'application/json; charset=utf-16',
    'multipart/form-data',
    '"',
  ),
);

const headerEdit: fc.Arbitrary<Edit> = fc
  .record({
    name: fc.constantFrom(
      'authorization',
      'idempotency-key',
      'content-type',
      'x-request-id',
      'accept',
      'accept-encoding',
      'origin',
      'x-forwarded-for',
      'if-none-match',
      'x-http-method-override',
      'cookie',
    ),
    text: headerText,
    isAppended: fc.boolean(),
  })
  .map(({ name, text, isAppended }) => ({ headers }) => {
    headers[name] = isAppended ? `${headers[name] ?? ''}${text}` : text;
  });

/** Replaces, removes, duplicates or adds one field of the body, at any depth. */
function fieldEdit(body: z.ZodType): fc.Arbitrary<Edit> {
  const root: JsonSchema = z.toJSONSchema(body, { io: 'input' });
  const nearly = [...fieldsOf(root, root)].flatMap(([name, schema]) =>
    nearlyValid(schema, root).map((value) => [name, value] as const),
  );
  const replace = fc.record({ at: fc.nat(), value: hostileJson }).map(
    ({ at, value }) =>
      (it: unknown) =>
        edited(it, at, () => [['=', value]]),
  );
  const approaches = nearly.map(
    ([name, value]) =>
      (it: unknown) =>
        withField(it, name, value),
  );
  const leaveOut = fc.nat().map((at) => (it: unknown) => edited(it, at, () => []));
  const double = fc.record({ at: fc.nat(), value: hostileJson }).map(
    ({ at, value }) =>
      (it: unknown) =>
        edited(it, at, (original) => [
          ['=', original],
          ['=', value],
        ]),
  );
  const join = fc.record({ at: fc.nat(), key: hostileKey, value: hostileJson }).map(
    ({ at, key, value }) =>
      (it: unknown) =>
        edited(it, at, (original) => [
          ['=', original],
          [key, value],
        ]),
  );
  const choices = [replace, leaveOut, double, join, ...(nearly.length === 0 ? [] : [fc.constantFrom(...approaches)])];
  return fc.oneof(...choices).map((change) => (draft) => {
    draft.body = change(draft.body);
  });
}

const textEdit: fc.Arbitrary<Edit> = fc
  .oneof(
    fc.nat(400).map((at) => (text: string) => text.slice(0, at)),
    fc.record({ at: fc.nat(400), insert: fc.uint8Array({ minLength: 1, maxLength: 8 }) }).map(
      ({ at, insert }) =>
        (text: string) =>
          Buffer.concat([Buffer.from(text.slice(0, at)), insert, Buffer.from(text.slice(at))]),
    ),
    hostileText.map((tail) => (text: string) => text + tail),
    fc.constantFrom('\uFEFF', '//x\n', '[').map((head) => (text: string) => head + text),
    hostileJson.map((value) => () => jsonText(value)),
    fc.constant((text: string) => Buffer.from(text, 'utf16le')),
  )
  .map((spoil) => (draft) => {
    draft.body ??= {};
    draft.headers['content-type'] ??= 'application/json';
    draft.spoil = spoil;
  });

/** Every named field of a body, at any depth. */
function* fieldsOf(schema: JsonSchema, root: JsonSchema): Generator<readonly [string, JsonSchema]> {
  const own = schema.$ref === undefined ? schema : resolve(schema.$ref, root);
  for (const [name, field] of Object.entries<JsonSchema>(own.properties ?? {})) {
    if (typeof field !== 'object') continue;
    yield [name, field];
    yield* fieldsOf(field, root);
  }
  for (const inner of [own.items, ...(own.anyOf ?? own.oneOf ?? [])]) if (inner) yield* fieldsOf(inner, root);
}

/** Sets the field in every object that has it, else in the outermost one. */
function withField(value: unknown, name: string, to: unknown): unknown {
  const isSet = { is: false };
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (!isPlain(inner)) return inner;
    const entries = Object.entries(inner).map(([key, one]) => {
      if (key !== name) return [key, walk(one)] as const;
      isSet.is = true;
      return [key, to] as const;
    });
    return new Fields(entries);
  };
  const walked = walk(value);
  return isSet.is || !(walked instanceof Fields) ? walked : new Fields([...walked.entries, [name, to]]);
}

/** Replaces one field by others; `=` keeps its name. */
function edited(value: unknown, at: number, into: (original: unknown) => readonly (readonly [string, unknown])[]): unknown {
  let fields = 0;
  const count = (inner: unknown): void => {
    fields += isPlain(inner) ? entriesOf(inner).length : 0;
    if (Array.isArray(inner)) inner.forEach(count);
    else if (isPlain(inner)) for (const [, one] of entriesOf(inner)) count(one);
  };
  count(value);
  if (fields === 0) return into(value)[0]?.[1];
  let left = at % fields;
  const walk = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(walk);
    if (!isPlain(inner)) return inner;
    return new Fields(
      entriesOf(inner).flatMap(([key, one]) =>
        left-- === 0 ? into(one).map(([name, to]) => [name === '=' ? key : name, to] as const) : [[key, walk(one)] as const],
      ),
    );
  };
  return walk(value);
}

function isPlain(value: unknown): value is object {
  return (
    value instanceof Fields || (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
  );
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return value instanceof Fields ? value.entries : Object.entries(value);
}
