/** Replaces each number in parsed JSON that a double cannot represent by a symbol with its text. */
import { isRepresented } from './json-number.ts';
import type { LongNumbers } from './json-scan.ts';

const QUOTE = 0x22;
/** Random, so that no client can send it. */
const STAND_IN = crypto.randomUUID();

type Container = Record<string | number, unknown>;

interface InexactNumber {
  /** The index among the long numbers. */
  readonly index: number;
  readonly source: string;
}

/** `value`: the result of `JSON.parse(text)`; it may be changed. `bytes`: the text in UTF-8. `found`: its long numbers. */
export function withoutRounding(value: unknown, text: string, bytes: Uint8Array, found: LongNumbers): unknown {
  const numbers = inexactNumbers(text, bytes, found);
  const [first] = numbers;
  if (first === undefined) return value;
  if (found.depths[first.index] === 0) return Symbol(first.source);
  const parsed = new NumberPlaces(value, text, bytes, found);
  for (const number of numbers) {
    if (!parsed.replace(number, Number(number.source))) return withoutRoundingOfLast(numbers, text, bytes, found);
  }
  return value;
}

/** Of duplicate fields the last counts, and both may have the same double. So this parses the text again, with a unique string for each number. */
function withoutRoundingOfLast(numbers: readonly InexactNumber[], text: string, bytes: Uint8Array, found: LongNumbers): unknown {
  let withStandIns = '';
  let end = 0;
  for (const { index } of numbers) {
    withStandIns += `${textBetween(text, bytes, end, found.starts[index]!)}"${STAND_IN}${index}"`;
    end = found.ends[index]!;
  }
  const value: unknown = JSON.parse(withStandIns + textBetween(text, bytes, end, bytes.length));
  const parsed = new NumberPlaces(value, text, bytes, found);
  for (const number of numbers) parsed.replace(number, `${STAND_IN}${number.index}`);
  return value;
}

function inexactNumbers(text: string, bytes: Uint8Array, found: LongNumbers): readonly InexactNumber[] {
  const numbers: InexactNumber[] = [];
  for (let index = 0; index < found.count; index += 1) {
    const source = textBetween(text, bytes, found.starts[index]!, found.ends[index]!);
    if (!isRepresented(source, Number(source))) numbers.push({ index, source });
  }
  return numbers;
}

/** Finds the places of long numbers in the parsed value, in the order of the text. */
class NumberPlaces {
  readonly #text: string;
  readonly #bytes: Uint8Array;
  readonly #found: LongNumbers;
  /** For each level, the container of the last number and its place there. */
  readonly #containers: (Container | undefined)[];
  readonly #places: number[] = [];
  #isUnrepeated: boolean;

  constructor(value: unknown, text: string, bytes: Uint8Array, found: LongNumbers) {
    [this.#text, this.#bytes, this.#found] = [text, bytes, found];
    this.#containers = [value as Container];
    this.#isUnrepeated = this.#hasAllFields(value as Container, 0, 0);
  }

  /**
   * Replaces `parsed` by the symbol. Returns false if an object around the number has a duplicate field: the later field may have replaced
   * the number, or an object or list around it.
   */
  replace({ index, source }: InexactNumber, parsed: unknown): boolean {
    const [found, containers, places] = [this.#found, this.#containers, this.#places];
    const depth = found.depths[index]!;
    let shared = 0;
    while (shared < depth - 1 && shared < places.length - 1 && places[shared] === found.placeOf(index, shared)) shared += 1;
    containers.length = Math.min(containers.length, shared + 1);
    places.length = shared;
    for (let level = shared; level < depth; level += 1) {
      if (level === containers.length) {
        const inner = this.#fieldOf(containers[level - 1], places[level - 1]!)?.value;
        const container = typeof inner === 'object' && inner !== null ? (inner as Container) : undefined;
        containers.push(container);
        this.#isUnrepeated &&= this.#hasAllFields(container, index, level);
      }
      places.push(found.placeOf(index, level));
    }
    const container = containers[depth - 1];
    const field = this.#fieldOf(container, places[depth - 1]!);
    if (field !== undefined && field.value === parsed) container![field.name] = Symbol(source);
    return this.#isUnrepeated;
  }

  #hasAllFields(container: Container | undefined, index: number, level: number): boolean {
    if (container === undefined) return false;
    return Array.isArray(container) || Object.keys(container).length === this.#found.fieldsOf(index, level);
  }

  /** `undefined` if a later field of the same name replaced the container. */
  #fieldOf(
    container: Container | undefined,
    place: number,
  ): { readonly name: string | number; readonly value: unknown } | undefined {
    if (container === undefined || Array.isArray(container) !== place < 0) return undefined;
    if (place < 0) return { name: ~place, value: container[~place] };
    // Names have no escapes.
    const name = textBetween(this.#text, this.#bytes, place + 1, this.#bytes.indexOf(QUOTE, place + 1));
    return Object.hasOwn(container, name) ? { name, value: container[name] } : undefined;
  }
}

function textBetween(text: string, bytes: Uint8Array, start: number, end: number): string {
  // ASCII: byte and character offsets are equal.
  if (text.length === bytes.length) return text.slice(start, end);
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString();
}
