import { randomBytes } from 'node:crypto';

/** A span as W3C Trace Context names it. Identifiers are lowercase hexadecimal, never all zeros. */
export interface TraceContext {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits. */
  readonly spanId: string;
  /** Bit 0: sampled. Bit 1: the trace id is random. */
  readonly flags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** A later version may add fields; a header longer than this is not read. */
const MAX_CHARACTERS = 512;
const KNOWN_FLAGS = 0b11;

/** Reads a traceparent header (W3C Trace Context Level 2, 3.2). Undefined if it is missing or not valid. */
export function parseTraceparent(text: string | null | undefined): TraceContext | undefined {
  if (text === null || text === undefined || text.length > MAX_CHARACTERS) return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined;
  return { traceId: traceId!, spanId: spanId!, flags: Number.parseInt(flags!, 16) & KNOWN_FLAGS };
}

/** The traceparent header of a span, 55 characters. */
export function traceparentOf({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** A new span of the same trace. */
export function childOf(parent: TraceContext): TraceContext {
  let spanId: string;
  do spanId = randomBytes(8).toString('hex');
  while (/^0+$/.test(spanId));
  return { ...parent, spanId };
}
