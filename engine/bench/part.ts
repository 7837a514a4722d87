/** A part of the bench: its measurements as tables for people, and as one object for programs. */
import type { BenchOptions } from './contender.ts';

export interface Part {
  readonly name: string;
  run(options: BenchOptions): Promise<Report>;
}

export interface Report {
  readonly tables: readonly Table[];
  /** Merged with those of the other parts by top-level keys. */
  readonly figures: Record<string, unknown>;
}

export interface Table {
  readonly title: string;
  readonly notes: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The first column is left-aligned, the others right-aligned. */
export function renderTable({ title, notes, columns, rows }: Table): string {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!))).join('  ');
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [title, ...notes.map((note) => `  ${note}`), line(columns), rule, ...rows.map(line)].join('\n');
}
