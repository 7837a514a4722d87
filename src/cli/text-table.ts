/** Rows as text for a terminal. */

/** Columns as wide as their widest entry; those named are aligned at their right. */
export function textTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows.map((row) => {
    const cells = row.map((text, column) =>
      right.includes(column) ? text.padStart(widths[column]!) : text.padEnd(widths[column]!),
    );
    return `  ${cells.join('  ')}`.trimEnd();
  });
}
