/** Formats the result of an operator's command as text for people. */
import { renderIsoTime } from '#units/iso-time.ts';
import { textTable } from './text-table.ts';

const TIME = /AtEpochMs$/;

/** One line per field, `accountId  acct-7`; a list of objects is a table below its name, and an object a table of one row. */
export function operatorText(result: object): string {
  const entries = Object.entries(result).map(([name, value]) => [name.replace(TIME, 'At'), textOf(name, value)] as const);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, text]) => (text.startsWith('\n') ? `${name}${text}` : `${name.padEnd(width)}  ${text}`)).join('\n');
}

function textOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (TIME.test(name)) return renderIsoTime(value as number);
  if (typeof value === 'object' && !Array.isArray(value)) return tableOf([value]);
  if (!Array.isArray(value)) return String(value);
  if (value.length === 0) return '-';
  return value.some((entry) => typeof entry === 'object') ? tableOf(value) : value.join(', ');
}

/** The columns are all fields of the entries, in order of first appearance. */
function tableOf(entries: readonly object[]): string {
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  const heading = names.map((name) => name.replace(TIME, 'At'));
  const rows = entries.map((entry) => names.map((name) => textOf(name, (entry as Record<string, unknown>)[name])));
  return ['', ...textTable([heading, ...rows])].join('\n');
}
