/** The suites of the socket methods, run while the account is busy, since a watcher without updates would wait forever. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keepBusy } from './activity.ts';
import type { Cast } from './cast.ts';
import type { Findings } from './findings.ts';
import { FUNDING_FEED_CHECKS, SOCKET_CHECKS } from './own/sockets.ts';
import { type OwnCheck, runOwn } from './own-check.ts';
import { type Stage, withExactReservation } from './stage.ts';
import { within } from './timeouts.ts';
import { runUpstreamBalance, runUpstreamSockets, type WatchLength } from './upstream-sockets.ts';

/** Needs an account with integer reservations only: ccxt 2.9.8 adds them as floats. */
export async function watchWholeBalance(
  { account, anotherBySockets, symbol }: Cast,
  watch: WatchLength,
  findings: Findings,
): Promise<void> {
  let isOver = false;
  const reserving = (async () => {
    while (!isOver) await withExactReservation(account, symbol, () => sleep(100));
  })();
  try {
    const watching = runUpstreamBalance(anotherBySockets, symbol, watch);
    await Promise.race([watching, reserving]);
    findings.noteAll('upstream', await watching);
  } finally {
    isOver = true;
    await reserving;
  }
}

/** All at once: each check has its own sockets. */
export async function checkSockets(
  cast: Cast,
  staged: Stage,
  watch: WatchLength,
  modern: (part: 'sockets' | 'pythonSockets') => Promise<void>,
  findings: Findings,
): Promise<void> {
  const { account, anotherBySockets, symbol } = cast;
  const busy = keepBusy(account, symbol, staged.amount, staged.resting.price);
  const watchAll = Promise.all([
    runUpstreamSockets(anotherBySockets, symbol, watch).then((all) => findings.noteAll('upstream', all)),
    ...[...SOCKET_CHECKS, ...FUNDING_FEED_CHECKS].map(async (check) =>
      findings.note('own', check.method, await checkSocket(check, cast, staged)),
    ),
  ]);
  try {
    await Promise.race([watchAll, busy.ended]);
    for (const part of ['sockets', 'pythonSockets'] as const) await modern(part);
  } finally {
    await busy.stop();
  }
}

/** With an exchange of its own: a failure on its socket belongs to this method. */
async function checkSocket(check: OwnCheck, { anotherBySockets }: Cast, staged: Stage): Promise<readonly string[]> {
  const exchange = anotherBySockets({});
  const stage: Stage = { ...staged, surface: 'sockets', exchange, another: anotherBySockets };
  try {
    return await runOwn({ ...check, run: (it) => within(check.run(it), check.method) }, stage);
  } finally {
    await exchange.close().catch(() => undefined);
  }
}
