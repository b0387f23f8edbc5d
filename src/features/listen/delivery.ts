import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';

/** One verified delivery, bytes and all. */
export interface Delivery {
  /** Unix ms. */
  readonly receivedAt: number;
  readonly headers: IncomingHttpHeaders;
  /** Header lines as they came, name and value alternating. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The body's `type`, where it is JSON and has one. */
  readonly kind: string | undefined;
  /** The body as JSON, where it is JSON. */
  readonly json: unknown;
  readonly isJson: boolean;
}

/** Reads what a body says about itself. A body that is no JSON is a delivery too. Never throws. */
export function readBody(body: Buffer): Pick<Delivery, 'kind' | 'json' | 'isJson'> {
  if (!isUtf8(body)) return { kind: undefined, json: undefined, isJson: false };
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return { kind: textField(json, 'type'), json, isJson: true };
  } catch {
    return { kind: undefined, json: undefined, isJson: false };
  }
}

/** A top-level member of a JSON object, where it is a string. */
export function textField(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined;
  const value = (json as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}
