/** The resources of the process: memory, processor time, and the delay of its event loop. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Clock } from '#time/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';

const RESOLUTION_MS = 10;
const QUANTILES = [0.5, 0.9, 0.99, 1];

/** Measures until the returned function is called. */
export function measureProcess(registry: MetricRegistry, clock: Clock): () => void {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  registry
    .gauge('openperp_process_start_time_seconds', 'When the process started, since the Unix epoch.')
    .child()
    .set(clock.now() / 1_000 - process.uptime());
  const cpu = registry.counter('openperp_process_cpu_seconds_total', 'Processor time of all threads, by mode.');
  registry.part('process', (part) => {
    const memory = part.gauge('openperp_process_memory_bytes', 'Memory of the process, by kind.');
    const utilization = part.gauge(
      'openperp_event_loop_utilization_ratio',
      'Part of the time since the last scrape in which the main thread was busy.',
    );
    const delay = part.gauge(
      'openperp_event_loop_delay_seconds',
      'By how much the main thread was late since the last scrape, by quantile.',
    );
    let before = performance.eventLoopUtilization();
    return () => {
      for (const [kind, bytes] of Object.entries(process.memoryUsage())) memory.child({ kind }).set(bytes);
      const { user, system } = process.cpuUsage();
      cpu.child({ mode: 'user' }).countedTo(user / 1e6);
      cpu.child({ mode: 'system' }).countedTo(system / 1e6);
      const now = performance.eventLoopUtilization();
      utilization.child().set(performance.eventLoopUtilization(now, before).utilization);
      before = now;
      for (const quantile of QUANTILES) {
        // The histogram measures the intervals of its own timer.
        const late = delays.percentile(100 * quantile) / 1e6 - RESOLUTION_MS;
        delay.child({ quantile: String(quantile) }).set(Math.max(0, late) / 1_000);
      }
      delays.reset();
    };
  });
  return () => delays.disable();
}
