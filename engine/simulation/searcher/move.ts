/** A move of the colluders: what its values mean, and the commands that it sends. */
import type { Argument } from './argument.ts';
import type { Table } from './table.ts';

export interface Move {
  readonly arguments: readonly Argument[];
  /** How often it is drawn, compared with the others. */
  readonly weight: number;
  play(table: Table, values: readonly number[]): void;
}
