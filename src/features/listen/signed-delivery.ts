/** Builds and sends a signed delivery in the form that the service uses. */

import { exampleBody } from '../../contract/event-kinds.ts';
import { signedHeaders } from '../../contract/signed-headers.ts';
import type { Answer, Deliverer, NoAnswer } from './deliverer.ts';
import { readBody, textField } from './delivery.ts';

/** An invalid `--set` value, with a message for the user. */
export class FieldError extends Error {}

export interface BodyOptions {
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Identifies the delivery. */
  readonly deliveryId: string;
  /** Unix ms. */
  readonly now: number;
}

/**
 * Builds the body of a delivery (specification: Events) with example values; `fields` replace or extend them.
 * Compact JSON, as the service writes it.
 */
export function makeBody({ kind, fields, deliveryId, now }: BodyOptions): Buffer {
  return Buffer.from(JSON.stringify({ ...exampleBody(kind, deliveryId, now), ...fields }));
}

/**
 * Parses `field=value` (a string) and `field:=json` (any JSON value) pairs. Throws FieldError.
 */
export function parseFields(pairs: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const pair of pairs) {
    const [, name, colon, text] = /^([^=:]+)(:?)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || text === undefined) {
      throw new FieldError(`"${pair}" is not of the form field=value (a string) or field:=json`);
    }
    Object.defineProperty(fields, name, {
      value: colon === ':' ? parseJson(text, pair) : text,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return fields;
}

function parseJson(text: string, pair: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FieldError(`"${pair}" has no valid JSON after :=, such as null, 12 or "text"`);
  }
}

export interface SendOptions {
  readonly to: URL;
  readonly body: Buffer;
  readonly secret: string;
  /** Identifier for a body without a `deliveryId`. */
  readonly deliveryId: string;
  /** Unix ms. */
  readonly now: number;
  readonly deliverer: Deliverer;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** Signs a body and posts it. `webhook-id` is the `deliveryId` of the body, as the service sends it. */
export function sendSigned(options: SendOptions): Promise<Answer | NoAnswer> {
  const { to, body, secret, now, deliverer, deadlineMs, signal } = options;
  const id = textField(readBody(body).json, 'deliveryId') ?? options.deliveryId;
  return deliverer.post(to, body, Object.entries(signedHeaders(id, now, body, [secret])).flat(), {
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(signal ? { signal } : {}),
  });
}
