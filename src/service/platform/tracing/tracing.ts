import { childOf, parseTraceparent, type TraceContext, traceparentOf } from './context.ts';

/** A request, a delivery or a call of a provider, as part of a trace. */
export interface Span {
  /** Undefined if the work belongs to no trace. */
  readonly context: TraceContext | undefined;
  /** Ends the span with the status of the answer; null if there was none. */
  end(status: number | null): void;
}

interface SpanStart {
  /** `server`: a request that is answered. `client`: a request that is sent. */
  readonly kind: 'server' | 'client';
  /** Without anything that comes from a user: made from templates. */
  readonly name: string;
  /** The traceparent of the span that caused it, from a request or the store. One that is not valid is ignored. */
  readonly parent: string | null | undefined;
  /** Without personal data. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Follows work through traces. */
export interface Tracing {
  start(span: SpanStart): Span;
  /** Sends what has ended, and waits for it a bounded time. */
  close(): Promise<void>;
}

/** Passes on the traces of others, and begins and exports none. */
export const untraced: Tracing = {
  start: ({ parent }) => {
    const from = parseTraceparent(parent);
    return { context: from && childOf(from), end: () => {} };
  },
  close: async () => {},
};

/** The header that passes a span on; empty without a trace. */
export function traceHeaders({ context }: Pick<Span, 'context'>): Record<string, string> {
  return context ? { traceparent: traceparentOf(context) } : {};
}

/** What a log line says of a span; empty without a trace. */
export function traceFields({ context }: Pick<Span, 'context'>): { traceId?: string; spanId?: string } {
  return context ? { traceId: context.traceId, spanId: context.spanId } : {};
}
