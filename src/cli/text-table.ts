/** Formats rows as a text table for a terminal. */

/** Each column is as wide as its widest entry; columns in `right` are right-aligned. */
export function textTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows.map((row) => {
    const cells = row.map((text, column) =>
      right.includes(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}
