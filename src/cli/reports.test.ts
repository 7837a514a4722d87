/** What a venue in a terminal reports: the text of errors, without secrets and without whatever else an error carries. */
import { expect, test, vi } from 'vitest';
import { createSessionBearer } from '#identity/session-bearer.ts';
import { reportsForPeople } from './reports.ts';

const { bearer } = createSessionBearer();

function printedBy(report: (reports: ReturnType<typeof reportsForPeople>) => void): string {
  const printed: unknown[] = [];
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...given) => void printed.push(...given));
  report(reportsForPeople());
  vi.restoreAllMocks();
  // Anything but a text would be printed with all its properties.
  for (const it of printed) expect(it).toBeTypeOf('string');
  return printed.join('\n');
}

const cause = Object.assign(new Error(`refused ${bearer}`), { command: { args: ['stored-digest'] } });
const error = Object.assign(new Error('the store failed', { cause }), { response: { body: 'a-body' } });

test.each<[string, (reports: ReturnType<typeof reportsForPeople>) => void]>([
  ['an internal error', ({ onInternalError }) => onInternalError(error, 'http')],
  ['a fatal error', ({ onFatalError }) => onFatalError(error, 'http')],
  ['a halt', ({ onHalt }) => onHalt({ reason: 'journal_failed', detail: `for ${bearer}`, cause: error } as never)],
])('prints the text and the causes of %s, and no secret', (_, report) => {
  const printed = printedBy(report);
  expect(printed).toContain('Error: the store failed');
  expect(printed).toContain('caused by Error: refused ops_[redacted]');
  expect(printed).toContain('reports.test.ts');
  for (const secret of [bearer, 'stored-digest', 'a-body']) expect(printed).not.toContain(secret);
});

test('prints lines without secrets', () => {
  expect(printedBy(({ log }) => log(`a line with ${bearer}`))).toBe('a line with ops_[redacted]');
});
