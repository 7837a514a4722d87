/** Puts a symbol of its text in the place of each number of parsed JSON that a double does not represent. */
import { isRepresented } from './json-number.ts';
import type { LongNumbers } from './json-scan.ts';

const QUOTE = 0x22;

type Container = Record<string | number, unknown>;

/** `value`: what `JSON.parse` made of `text`; it is changed, and returned. `bytes`: the text in UTF-8. `found`: its long numbers. */
export function withoutRounding(value: unknown, text: string, bytes: Uint8Array, found: LongNumbers): unknown {
  // Of each level: the container and the place in it that the last number was at.
  const containers: (Container | undefined)[] = [];
  const places: number[] = [];
  for (let index = 0; index < found.count; index += 1) {
    const source = textBetween(text, bytes, found.starts[index]!, found.ends[index]!);
    const depth = found.depths[index]!;
    if (depth === 0) return isRepresented(source, value as number) ? value : Symbol(source);
    let shared = 0;
    while (shared < depth - 1 && shared < places.length - 1 && places[shared] === found.placeOf(index, shared)) shared += 1;
    containers.length = Math.min(containers.length, shared + 1);
    places.length = shared;
    for (let level = shared; level < depth; level += 1) {
      if (level === containers.length) {
        const outer = containers[level - 1];
        const inner = level === 0 ? value : outer && fieldAt(outer, places[level - 1]!, text, bytes)?.value;
        containers.push(typeof inner === 'object' && inner !== null ? (inner as Container) : undefined);
      }
      places.push(found.placeOf(index, level));
    }
    const container = containers[depth - 1];
    const field = container && fieldAt(container, places[depth - 1]!, text, bytes);
    if (field === undefined || typeof field.value !== 'number' || isRepresented(source, field.value)) continue;
    // Of two fields with one name the value has the second: the first is skipped, unless both round to the same number.
    if (field.value === Number(source)) container![field.name] = Symbol(source);
  }
  return value;
}

/** `undefined` if a later field of the same name replaced the container that the text has there. */
function fieldAt(
  container: Container,
  place: number,
  text: string,
  bytes: Uint8Array,
): { readonly name: string | number; readonly value: unknown } | undefined {
  if (Array.isArray(container)) return place < 0 ? { name: ~place, value: container[~place] } : undefined;
  if (place < 0) return undefined;
  // Names have no escapes.
  const name = textBetween(text, bytes, place + 1, bytes.indexOf(QUOTE, place + 1));
  return Object.hasOwn(container, name) ? { name, value: container[name] } : undefined;
}

function textBetween(text: string, bytes: Uint8Array, start: number, end: number): string {
  // Every byte is a character of its own.
  if (text.length === bytes.length) return text.slice(start, end);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
}
