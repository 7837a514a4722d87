/** The suites of the socket methods, while the account is busy: who waits for an update that never comes would wait for ever. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keepBusy } from './activity.ts';
import type { Cast } from './cast.ts';
import type { Findings } from './findings.ts';
import type { Checkout } from './modern/checkout.ts';
import { runModernSuite } from './modern/run.ts';
import { SOCKET_CHECKS } from './own/sockets.ts';
import { runOwn } from './own-check.ts';
import { type Stage, withExactReservation } from './stage.ts';
import { runUpstreamBalance, runUpstreamSockets } from './upstream-sockets.ts';

/** On an account that nothing but whole sums were reserved of: ccxt 2.9.8 adds them as floats. */
export async function watchWholeBalance({ byClass, bySockets, symbol }: Cast, findings: Findings): Promise<void> {
  let isOver = false;
  const reserving = (async () => {
    while (!isOver) await withExactReservation(byClass, symbol, () => sleep(100));
  })();
  try {
    const watching = runUpstreamBalance(bySockets, symbol);
    await Promise.race([watching, reserving]);
    findings.noteAll('upstream', await watching);
  } finally {
    isOver = true;
    await reserving;
  }
}

export async function checkSockets(cast: Cast, staged: Stage, checkout: Checkout | undefined, findings: Findings): Promise<void> {
  const { bySockets, settings, symbol, settle } = cast;
  const stage: Stage = { ...staged, surface: 'sockets', exchange: bySockets, another: cast.anotherBySockets };
  const busy = keepBusy(cast.anotherByClass({}), symbol, stage.amount, stage.resting.price);
  const watchAll = async () => {
    findings.noteAll('upstream', await runUpstreamSockets(bySockets, symbol));
    for (const check of SOCKET_CHECKS) findings.note('own', check.method, await runOwn(check, stage));
  };
  try {
    await Promise.race([watchAll(), busy.ended]);
    if (checkout !== undefined)
      await runModernSuite(
        { checkout, part: 'sockets', settings, symbol, funded: stage.funded, code: settle, lacks: {} },
        findings,
      );
  } finally {
    await busy.stop();
  }
}
