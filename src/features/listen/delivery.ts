import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/** A verified delivery with its raw body. */
export interface Delivery {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly headers: IncomingHttpHeaders;
  /** Alternating header names and values, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The `type` of a JSON body; undefined where there is none. */
  readonly kind: string | undefined;
  /** The parsed body; undefined where it is not JSON. */
  readonly json: unknown;
  readonly isJson: boolean;
}

/** Parses a body. A body that is not JSON is valid too. Never throws. */
export function readBody(body: Buffer): Pick<Delivery, 'kind' | 'json' | 'isJson'> {
  if (!isUtf8(body)) return { kind: undefined, json: undefined, isJson: false };
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return { kind: textField(json, 'type'), json, isJson: true };
  } catch {
    return { kind: undefined, json: undefined, isJson: false };
  }
}

/** Returns a top-level string member of a JSON object; undefined where there is none. */
export function textField(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  const value = (json as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}
