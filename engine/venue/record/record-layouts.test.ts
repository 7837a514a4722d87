/**
 * `testing/record-layouts.txt` has the layouts of all records. `npx vitest run engine/venue/record/record-layouts.test.ts -u` updates
 * it. A new type adds lines. Changing or moving a line or a choice makes existing journals unreadable.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Command } from '#venue/command.ts';
import { COMMANDS } from '#venue/command-rules.ts';
import type { VenueEvent } from '#venue/event.ts';
import { BLANK, type Cursor } from './cursor.ts';
import { EVENTS } from './event-layouts.ts';
import { formsOf, layoutsOf } from './layout.ts';
import { acceptedTermsLayout, termsLayout } from './parts.ts';

const FILE = join(import.meta.dirname, 'testing/record-layouts.txt');

type Layout = (cursor: Cursor, it: unknown) => unknown;
/** Layouts whose fields depend on a value that they read. The golden records cover all their variants. */
const VARIANTS: readonly unknown[] = [termsLayout, acceptedTermsLayout];

/** Records the fields that a layout moves, in the order of the bytes. */
class NotingCursor {
  readonly notes: string[] = [];

  u8 = () => this.#note('u8');
  u32 = () => this.#note('u32');
  leverage = () => this.#note('leverage');
  wholeLeverage = () => this.#note('u32');
  int = () => this.#note('int');
  flag = () => this.#note('flag');
  text = () => this.#note('text');
  oneOf = (values: readonly string[]) => this.#note(values.join('|'));
  part = (_part: unknown, layout: Layout) => this.#note(partOf(layout));
  shortList = (_items: unknown, layout: Layout) => this.#note(`u8 × ${partOf(layout)}`);
  list = (_items: unknown, layout: Layout) => this.#note(`u16 × ${partOf(layout)}`);

  #note(text: string): unknown {
    this.notes.push(text);
    return undefined;
  }
}

function partOf(layout: Layout): string {
  return VARIANTS.includes(layout) ? 'terms' : `{ ${fieldsOf(layout)} }`;
}

function fieldsOf(layout: Layout): string {
  const cursor = new NotingCursor();
  layout(cursor as unknown as Cursor, BLANK);
  return cursor.notes.join(', ');
}

const byTag = (left: { readonly tag: number }, right: { readonly tag: number }) => left.tag - right.tag;
const COMMAND_FORMS = [...formsOf<Command>(layoutsOf(COMMANDS))].sort(byTag);
const EVENT_FORMS = [...formsOf<VenueEvent>(EVENTS)].sort(byTag);

function linesOf(name: string, forms: typeof COMMAND_FORMS | typeof EVENT_FORMS): readonly string[] {
  return forms.map(({ type, tag, fields }) => `${name} ${tag} ${type}: ${fieldsOf(fields as Layout)}`);
}

test('keeps the layouts of existing journals', async () => {
  const lines = [...linesOf('command', COMMAND_FORMS), ...linesOf('event', EVENT_FORMS)];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(FILE);
});

/** Ranges of tags that no type uses yet. */
const RESERVED_COMMANDS = [
  { from: 39, to: 39 },
  { from: 62, to: 62 },
  { from: 67, to: 69 },
  { from: 79, to: 79 },
  { from: 83, to: 86 },
  { from: 91, to: 91 },
];
const RESERVED_EVENTS = [
  { from: 40, to: 49 },
  { from: 66, to: 66 },
  { from: 68, to: 68 },
  { from: 72, to: 74 },
  { from: 89, to: 89 },
  { from: 91, to: 92 },
  { from: 96, to: 102 },
  { from: 107, to: 108 },
];

test('assigns tags without gaps, except reserved ones', () => {
  for (const [forms, reserved] of [
    [COMMAND_FORMS, RESERVED_COMMANDS],
    [EVENT_FORMS, RESERVED_EVENTS],
  ] as const) {
    const tags = forms.map(({ tag }) => tag);
    const isReserved = (tag: number) => reserved.some(({ from, to }) => tag >= from && tag <= to);
    const expected = Array.from({ length: Math.max(...tags) + 1 }, (_, tag) => tag).filter((tag) => !isReserved(tag));
    expect(tags).toEqual(expected);
  }
});
