/** The realtime service's thread, run in the test's own: it reports exceptions while it processes messages, and continues. */
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { PlantedException } from '#app/testing/planted-exceptions.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { openProjection } from '#projection/projection.ts';
import { RealtimeService } from '#realtime/service.ts';
import { sendLiveRows } from './live-rows-channel.ts';
import type { RealtimeMessage, RealtimeReport } from './realtime-thread.ts';

const { thread } = await vi.hoisted(async () => {
  const { MessageChannel } = await import('node:worker_threads');
  const { port1: main, port2: parentPort } = new MessageChannel();
  return { thread: { main, parentPort, workerData: {} as Record<string, unknown> } };
});
vi.mock('node:worker_threads', async (load) => ({ ...(await load<object>()), ...thread }));

const reports: RealtimeReport[] = [];
let received: () => void = () => {};
const post = (message: RealtimeMessage) => thread.main.postMessage(message);

/** The next report. */
async function nextReport(): Promise<RealtimeReport> {
  while (reports.length === 0) await new Promise<void>((resolve) => (received = resolve));
  return reports.shift()!;
}

beforeAll(async () => {
  thread.main.on('message', (report: RealtimeReport) => {
    reports.push(report);
    received();
  });
  const { port1, port2 } = new MessageChannel();
  const projection = openProjection(':memory:');
  sendLiveRows(port1, projection.livePieces());
  port1.close();
  projection.close();
  const number = () => new Float64Array(new SharedArrayBuffer(8));
  Object.assign(thread.workerData, {
    ...{ host: 'localhost', port: 0, origins: [], trustedProxies: [], limits: REALTIME_LIMITS, provider: 'generated' },
    ...{ rows: port2, sockets: new Int32Array(new SharedArrayBuffer(4)), folded: number(), replayable: number() },
    time: { epochMs: 0, atMs: 0 },
  });
  await import('./realtime-thread.ts');
  expect(await nextReport()).toMatchObject({ type: 'listening' });
});
afterAll(async () => {
  vi.restoreAllMocks();
  post({ type: 'close' });
  expect(await nextReport()).toEqual({ type: 'closed' });
  thread.main.close();
});

function plant(method: 'familyRevoked' | 'holderEnded' | 'counts'): void {
  vi.spyOn(RealtimeService.prototype, method).mockImplementationOnce(() => {
    throw new PlantedException(method);
  });
}

test('reports an exception in the revocation of a ticket family', async () => {
  plant('familyRevoked');
  post({ type: 'revoked', familyId: 'family' });
  expect(await nextReport()).toMatchObject({ type: 'internal_error', error: { name: 'PlantedException' } });
});

test('reports an exception at the end of a session', async () => {
  plant('holderEnded');
  post({ type: 'holder_ended', holderId: 'session-0123456789abcdef' });
  expect(await nextReport()).toMatchObject({ type: 'internal_error', error: { name: 'PlantedException' } });
});

test('reports an exception instead of the counts, and counts the next time', async () => {
  plant('counts');
  post({ type: 'count' });
  expect(await nextReport()).toMatchObject({ type: 'counts', error: { name: 'PlantedException' } });
  post({ type: 'count' });
  expect(await nextReport()).toMatchObject({ type: 'counts', counts: { sockets: 0 } });
});
