/** Formats the reports of the listener: a JSON line for scripts, lines of text for people. */

import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { wrap } from '../../kit/wrap.ts';
import { type Delivery, textField } from './delivery.ts';
import { findings, fixLines } from './diagnosis-view.ts';
import type { Rejected, Report, Verified } from './receiver.ts';
import type { RejectReason } from './verify-signature.ts';

/**
 * Formats a report as one line of JSON. A JSON body keeps its original spelling (big numbers, key order), other text is a
 * string, and bytes that are not UTF-8 are null with a `bodyBase64` member.
 */
export function jsonLine(report: Report): string {
  if (report.type === 'rejected') {
    const { type, receivedAt, reason, diagnosis } = report;
    return JSON.stringify({
      type,
      receivedAt: iso(receivedAt),
      reason,
      diagnosis: diagnosis ?? null,
    });
  }
  const { delivery, duplicate, forwarded } = report;
  const before = JSON.stringify({
    type: 'event',
    receivedAt: iso(delivery.receivedAt),
    verified: true,
    duplicate,
    headers: delivery.headers,
  });
  const after = forwarded ? `,"forwarded":${JSON.stringify(forwarded)}` : '';
  return `${before.slice(0, -1)},${bodyMember(delivery)}${after}}`;
}

function bodyMember({ body, isJson }: Delivery): string {
  const text = body.toString('utf8');
  // In JSON a newline occurs only between tokens, where a space is equivalent.
  if (isJson) return `"body":${text.replace(/[\r\n]+/g, ' ')}`;
  if (Buffer.from(text, 'utf8').equals(body)) return `"body":${JSON.stringify(text)}`;
  return `"body":null,"bodyBase64":${JSON.stringify(body.toString('base64'))}`;
}

const INDENT = ' '.repeat(8);

/** Formats reports for people. The fix of a mistake is shown only the first time. */
export class TextRenderer {
  readonly #explained = new Set<string>();
  readonly #columns: number | undefined;

  /** @param columns width of the terminal; undefined in a pipe, where nothing is wrapped or shortened */
  constructor(columns: number | undefined) {
    this.#columns = columns;
  }

  /** Returns the lines of a report, not yet sanitized for a terminal. */
  lines(report: Report): string[] {
    return report.type === 'event' ? this.#event(report) : this.#rejected(report);
  }

  #event({ delivery, duplicate, forwarded }: Verified): string[] {
    const short = (id: string) =>
      this.#columns !== undefined && id.length > 16 ? `${id.slice(0, 12)}…` : id;
    const part = (label: string, name: string) => {
      const value = textField(delivery.json, name);
      return value === undefined ? [] : [label + short(value)];
    };
    const parts = [
      `${localTime(delivery.receivedAt)}  ${forwarded?.ok === false ? '✗' : '✓'}  ${delivery.kind ?? `${delivery.body.length} bytes`}`,
      ...part('', 'contentId'),
      ...part('user ', 'hashId'),
      ...part('', 'decisionId'),
      ...part('', 'notificationId'),
      ...(duplicate ? ['(seen before)'] : []),
    ];
    if (forwarded) {
      const why = forwarded.error ? ` (${forwarded.error})` : '';
      parts.push(
        `→ ${forwarded.url}  ${forwarded.ok ? '' : 'failed: '}${forwarded.status} in ${forwarded.durationMs} ms${why}`,
      );
    }
    return wrapParts(parts.map(sanitizeLine), this.#columns);
  }

  #rejected({ receivedAt, reason, diagnosis, method }: Rejected): string[] {
    const time = localTime(receivedAt);
    if (diagnosis === undefined) {
      const answered: Partial<Record<RejectReason, string>> = {
        invalid_host: '400  the Host header is not a host',
        payload_too_large: '413  over 1 MiB',
        method_not_allowed: `405  ${method}: only POST is allowed`,
      };
      return [`${time}  ✗  ${answered[reason]}`];
    }
    const lines = [`${time}  ✗  401  ${diagnosis.name}`];
    for (const { name, summary, fix } of findings(diagnosis)) {
      lines.push(...wrap(summary, this.#columns, INDENT));
      if (fix === undefined || this.#explained.has(name)) continue;
      this.#explained.add(name);
      lines.push(...fixLines({ fix }).map((line) => `    ${line}`));
    }
    return lines;
  }
}

/** Joins parts with as many on a line as fit; continuation lines are indented. */
function wrapParts(parts: readonly string[], columns = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line}  ${part}`;
    if (line !== '' && longer.length > columns) {
      lines.push(line);
      line = INDENT + part;
    } else line = longer;
  }
  return [...lines, line];
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Local time of day, `14:03:07`. */
function localTime(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((n) => String(n).padStart(2, '0'))
    .join(':');
}
