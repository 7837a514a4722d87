/** A part of a checkout's suite, and what it found as findings. */
import type { Findings } from '#compat/findings.ts';
import { runModern } from './suite.ts';
import type { SuiteOrder } from './suite-order.ts';

export async function runModernSuite(order: Omit<SuiteOrder, 'answerPath'>, findings: Findings): Promise<void> {
  const { problems, skipped, shimmed, hasEnded, lines } = await runModern(order);
  const suite = order.part === 'static' ? 'fixtures' : 'modern';
  for (const [method, found] of Object.entries(problems)) findings.note(suite, method, found);
  for (const [method, reason] of Object.entries(skipped)) {
    if (order.lacks[method] === reason) findings.lacking(suite, method, reason);
    else findings.skipped(suite, method, reason);
  }
  for (const [method, reasons] of Object.entries(shimmed)) for (const reason of reasons) findings.shimmed(suite, method, reason);
  if (!hasEnded) findings.note(suite, 'loadMarkets', [`the suite (${order.part}) broke off: ${lines.join(' ').slice(-400)}`]);
}
