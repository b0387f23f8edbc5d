import type { Log } from '../../../service/platform/log.ts';
import {
  addCounts,
  addMetrics,
  countsOf,
  lineMetrics,
  type MetricsText,
  type MetricValues,
} from '../../../service/telemetry/metrics.ts';

/**
 * The metrics of a node of several processes. Counts never decrease, which Prometheus would take for a restart of the
 * node: those of a process stay in the sums after its end, and while it does not answer. What a killed process has
 * counted since it was last asked is lost.
 */
export class NodeMetrics {
  readonly #lines = lineMetrics();
  /** The last values of each process that runs. */
  readonly #running = new Map<number, MetricValues>();
  /** The counts of those that ended. */
  #ended: Promise<MetricValues> = Promise.resolve([]);

  /** Counts the lines of the node's own log. */
  counting(log: Log): Log {
    return (level, message, fields) => {
      if (level !== 'debug') this.#lines.line(level);
      log(level, message, fields);
    };
  }

  started(process: number): void {
    this.#running.set(process, []);
  }

  /** `last` are its values at its end; undefined if it was killed. */
  ended(process: number, last: MetricValues | undefined): void {
    const counts = last ?? this.#running.get(process) ?? [];
    this.#running.delete(process);
    this.#ended = this.#ended.then((ended) => addCounts([ended, counts]));
  }

  /** All metrics in the Prometheus text format, after the processes have answered with their values. */
  async text(answers: readonly (readonly [process: number, values: MetricValues])[]): Promise<MetricsText> {
    const answered = new Set<number>();
    for (const [process, values] of answers) {
      if (!this.#running.has(process)) continue;
      this.#running.set(process, values);
      answered.add(process);
    }
    const running = [...this.#running].map(([process, values]) =>
      answered.has(process) ? values : countsOf(values),
    );
    const [ended, own] = await Promise.all([this.#ended, this.#lines.values()]);
    return addMetrics([...running, ended, own]);
  }
}
