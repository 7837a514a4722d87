/**
 * Judges each key of `has` once: claimed, by the findings of the suites; not claimed, by its refusal before any request; or a
 * fact, by its check.
 */
import type { Cast } from './cast.ts';
import type { Findings } from './findings.ts';
import { checkFact, claimedMethods, FACT_KEYS, nameOf, unclaimedMethods } from './has-keys.ts';
import { checkedMethod, type MethodResult, unclaimedMethod } from './report.ts';
import { refusalProblems } from './unclaimed.ts';
import { describe } from './watched.ts';

/** The claims are those of the class with sockets; the class without them must refuse what it does not claim. */
export async function judge(cast: Cast, findings: Findings): Promise<readonly MethodResult[]> {
  const { byClass, bySockets, anotherByClass: another, url } = cast;
  for (const exchange of [byClass, bySockets])
    for (const key of FACT_KEYS) findings.note('own', key, await found(checkFact(key, { exchange, another, url })));
  for (const exchange of [byClass, bySockets])
    for (const method of unclaimedMethods(exchange)) {
      const problems = await found(refusalProblems(method, exchange));
      if (problems.length > 0) findings.note('own', method, problems);
    }
  const names = Object.keys(bySockets.has).map(nameOf);
  const ofNoKey = findings.methods().filter((method) => !names.includes(method));
  const claimed = [...ofNoKey, ...claimedMethods(bySockets), ...FACT_KEYS];
  return [
    ...claimed.map((method) => checkedMethod(method, findings.of(method))),
    ...unclaimedMethods(bySockets).map((method) => unclaimedMethod(method, findings.of(method))),
  ];
}

/** A check that throws is a problem. */
function found(problems: Promise<readonly string[]>): Promise<readonly string[]> {
  return problems.catch((error: unknown) => [describe(error)]);
}
