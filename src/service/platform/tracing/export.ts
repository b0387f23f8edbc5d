import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type Sampler as OtelSampler,
  ParentBasedSampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { errorText } from '../../../kit/error-text.ts';
import type { Log } from '../log.ts';
import { parseTraceparent, type TraceContext } from './context.ts';
import type { Sampler, TracingSettings } from './settings.ts';
import type { Tracing } from './tracing.ts';

/** Spans that wait for the receiver; further ones are lost, which is logged. */
const MAX_QUEUED = 2048;
const MAX_PER_EXPORT = 512;
const EVERY_MS = 1000;
/** How long the end of the service waits for the receiver. */
const CLOSE_MS = 2000;

/** Time between two reports of lost spans: the log would omit an earlier one that has the same reason (repeats.ts). */
const REPORT_EVERY_MS = 10_000;

const NOT_EXPORTED = 'traces were not exported';

/** Counts spans that are lost, and reports each of them once. */
class Losses {
  readonly #log: Log;
  #spans = 0;
  #reason = '';
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Log) {
    this.#log = log;
  }

  add(spans: number, reason: string): void {
    this.#spans += spans;
    this.#reason = reason;
  }

  /** Reports the spans that were lost since the last report, with the latest reason, unless that was just now. */
  report(): void {
    const now = performance.now();
    if (this.#spans === 0 || now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    this.#write(this.#reason);
  }

  /** Reports the rest at the end of the service. */
  close(): void {
    if (this.#spans > 0) this.#write(`until the end of the service: ${this.#reason}`);
  }

  #write(reason: string): void {
    this.#log('error', NOT_EXPORTED, { spans: this.#spans, reason });
    this.#spans = 0;
  }
}

/** The spans that the receiver has not accepted yet. */
interface Waiting {
  spans: number;
}

/**
 * Exports traces over OTLP/HTTP. A receiver that does not answer costs nothing but its spans: the queue is bounded, and
 * failures are logged.
 */
export function exportTraces(settings: TracingSettings, log: Log): Tracing {
  const waiting: Waiting = { spans: 0 };
  const losses = new Losses(log);
  const inBatches = new BatchSpanProcessor(counted(exporterOf(settings), waiting, losses), {
    maxQueueSize: MAX_QUEUED,
    maxExportBatchSize: MAX_PER_EXPORT,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: settings.timeoutMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ ...settings.resource }),
    sampler: samplerOf(settings.sampler),
    spanProcessors: [bounded(inBatches, waiting, losses)],
  });
  const tracer = provider.getTracer('svc');
  return {
    start: ({ kind, name, parent, attributes }) => spanOf(tracer, kind, name, parent, attributes),
    close: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
      losses.close();
      const { spans } = waiting;
      if (spans > 0) log('error', NOT_EXPORTED, { spans, reason: 'the service ended before they were' });
    },
  };
}

function spanOf(
  tracer: Tracer,
  kind: 'server' | 'client',
  name: string,
  parent: string | null | undefined,
  attributes: Readonly<Record<string, string>> = {},
) {
  const from = parseTraceparent(parent);
  const context = from ? trace.setSpanContext(ROOT_CONTEXT, remote(from)) : ROOT_CONTEXT;
  const span = tracer.startSpan(
    name,
    { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT, attributes },
    context,
  );
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    context: { traceId, spanId, flags: traceFlags },
    end: (status: number | null) => {
      if (status !== null) span.setAttribute('http.response.status_code', status);
      // A 4xx is an error of the caller: of a span only where it is the caller (semantic conventions for HTTP).
      if (status === null || status >= (kind === 'server' ? 500 : 400))
        span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const remote = ({ traceId, spanId, flags }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: flags,
  isRemote: true,
});

function samplerOf({ root, parentBased, ratio }: Sampler): OtelSampler {
  const own =
    root === 'on'
      ? new AlwaysOnSampler()
      : root === 'off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root: own }) : own;
}

function exporterOf({ url, protocol, headers, gzip, timeoutMs }: TracingSettings): SpanExporter {
  const Exporter = protocol === 'http/json' ? JsonExporter : ProtobufExporter;
  const compression = (gzip ? 'gzip' : 'none') as NonNullable<
    ConstructorParameters<typeof Exporter>[0]
  >['compression'];
  return new Exporter({ url, headers: { ...headers }, timeoutMillis: timeoutMs, ...{ compression } });
}

/** Takes as many spans as may wait. The processor behind it would drop further ones without a word. */
function bounded(next: SpanProcessor, waiting: Waiting, losses: Losses): SpanProcessor {
  return {
    onStart: (span, context) => next.onStart(span, context),
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting.spans >= MAX_QUEUED) {
        losses.add(1, `more than ${MAX_QUEUED} were waiting for the receiver`);
        return;
      }
      waiting.spans++;
      next.onEnd(span);
    },
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

/** Counts failed exports, which are final: the exporter has retried. */
function counted(exporter: SpanExporter, waiting: Waiting, losses: Losses): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result: ExportResult) => {
        waiting.spans -= spans.length;
        if (result.code !== ExportResultCode.SUCCESS)
          losses.add(spans.length, errorText(result.error ?? 'the receiver refused them'));
        losses.report();
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
