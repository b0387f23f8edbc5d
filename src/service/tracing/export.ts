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
import { errorText } from '../../kit/error-text.ts';
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

const NOT_EXPORTED = 'traces were not exported';

/** The spans that the receiver has not accepted yet, and those that found no place in the queue since it answered last. */
interface Waiting {
  spans: number;
  lost: number;
}

/**
 * Exports traces over OTLP/HTTP. A receiver that does not answer costs nothing but its spans: the queue is bounded, and
 * failures are logged.
 */
export function exportTraces(settings: TracingSettings, log: Log): Tracing {
  const waiting: Waiting = { spans: 0, lost: 0 };
  const inBatches = new BatchSpanProcessor(logged(exporterOf(settings), waiting, log), {
    maxQueueSize: MAX_QUEUED,
    maxExportBatchSize: MAX_PER_EXPORT,
    scheduledDelayMillis: EVERY_MS,
    exportTimeoutMillis: settings.timeoutMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ ...settings.resource }),
    sampler: samplerOf(settings.sampler),
    spanProcessors: [bounded(inBatches, waiting)],
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
      const spans = waiting.spans + waiting.lost;
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
function bounded(next: SpanProcessor, waiting: Waiting): SpanProcessor {
  return {
    onStart: (span, context) => next.onStart(span, context),
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      if (waiting.spans >= MAX_QUEUED) {
        waiting.lost++;
        return;
      }
      waiting.spans++;
      next.onEnd(span);
    },
    forceFlush: () => next.forceFlush(),
    shutdown: () => next.shutdown(),
  };
}

/** Logs failed exports, which are final: the exporter has retried. */
function logged(exporter: SpanExporter, waiting: Waiting, log: Log): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result: ExportResult) => {
        waiting.spans -= spans.length;
        if (result.code !== ExportResultCode.SUCCESS)
          log('error', NOT_EXPORTED, {
            spans: spans.length,
            reason: errorText(result.error ?? 'the receiver refused them'),
          });
        if (waiting.lost > 0)
          log('error', NOT_EXPORTED, {
            spans: waiting.lost,
            reason: `more than ${MAX_QUEUED} were waiting for the receiver`,
          });
        waiting.lost = 0;
        done({ code: ExportResultCode.SUCCESS });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
