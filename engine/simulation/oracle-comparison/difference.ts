/** Compares two plain values leaf by leaf, and counts the numbers. */

export interface Difference {
  /** Where the values differ, such as `markets.0.positions.2.margin`. */
  readonly path: string;
  readonly engine: unknown;
  readonly oracle: unknown;
}

export class NumberComparison {
  /** How many numbers were equal. */
  count = 0;

  /** The first difference, or undefined. A field that is undefined is absent. */
  compare(engine: unknown, oracle: unknown, path = ''): Difference | undefined {
    if (typeof oracle === 'bigint' || typeof oracle === 'number') {
      this.count += 1;
      const isEqual = typeof engine === 'number' && Number.isSafeInteger(engine) && BigInt(engine) === BigInt(oracle);
      return isEqual ? undefined : { path, engine, oracle };
    }
    if (typeof oracle !== 'object' || oracle === null || typeof engine !== 'object' || engine === null) {
      return engine === oracle ? undefined : { path, engine, oracle };
    }
    const [left, right] = [engine as Record<string, unknown>, oracle as Record<string, unknown>];
    for (const field of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = this.compare(left[field], right[field], path === '' ? field : `${path}.${field}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Plain text of a value with big integers. */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, it) => (typeof it === 'bigint' ? Number(it) : it)) ?? 'absent';
}
