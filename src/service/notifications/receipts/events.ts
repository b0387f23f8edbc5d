import { createHash } from 'node:crypto';
import type { Provider } from '../providers/file/load.ts';
import type { ProviderFile, ReceiptKind } from '../providers/file/schema.ts';
import { textAt, valuesAt } from '../providers/file/values.ts';

/** One thing that a receipt says. */
export interface ReceiptFact {
  /** Identifies the event, so that a replay is known; undefined for one that acts each time. */
  readonly id: string | undefined;
  readonly kind: ReceiptKind;
  readonly notificationId: string | undefined;
  readonly messageId: string | undefined;
  readonly address: string | undefined;
  /** Channel of the address, if the receipt names one. */
  readonly channel: string | undefined;
  /** Category of opted-out, stop and start; undefined for all. */
  readonly category: string | undefined;
  /** Why a message failed: never the text of the vendor, which may quote an address. */
  readonly failure: string;
}

type EventRule = NonNullable<ProviderFile['receipts']>['events'][number];

/** Maximum number of events in a receipt. */
const MAX_EVENTS = 5000;
/** Maximum length of identifiers and addresses. */
const MAX_TEXT = 4096;

/** What a receipt with this body says, in order; undefined if it has too many events. */
export function factsOf(provider: Provider, body: unknown, raw: Buffer): ReceiptFact[] | undefined {
  const facts: ReceiptFact[] = [];
  let events = 0;
  for (const [ruleIndex, rule] of (provider.file.receipts?.events ?? []).entries()) {
    const found = rule.each === undefined ? [body] : valuesAt(body, rule.each);
    events += found.length;
    if (events > MAX_EVENTS) return undefined;
    for (const [index, event] of found.entries()) {
      const fact = factOf(rule, event);
      if (!fact) continue;
      // A person who stops again sends the same words: without an identifier of the provider, each one acts.
      const acts = fact.kind === 'stop' || fact.kind === 'start';
      const id = fact.id ?? (acts ? undefined : digest(raw, ruleIndex, index));
      facts.push({ ...fact, id: id && `${fact.kind}/${id}` });
    }
  }
  return facts;
}

function factOf(rule: EventRule, event: unknown): ReceiptFact | undefined {
  const listed = kindOf(rule, event);
  if (!listed) return undefined;
  const text = (path: string | undefined) => {
    const value = path === undefined ? undefined : textAt(event, path);
    return value !== undefined && value.length <= MAX_TEXT && !value.includes('\0') ? value : undefined;
  };
  const code = text(rule.code);
  const known =
    code !== undefined && rule.codes && Object.hasOwn(rule.codes, code) ? rule.codes[code] : undefined;
  const isFailure = listed === 'failed' || listed === 'bounce' || listed === 'opted-out';
  return {
    id: text(rule.id),
    kind: isFailure ? (known?.kind ?? listed) : listed,
    notificationId: text(rule.notificationId),
    messageId: text(rule.messageId),
    address: text(rule.address),
    channel: text(rule.channel),
    category: known?.category ?? rule.category,
    failure: `the provider could not deliver it${named(code)}${known?.reason ? `: ${known.reason}` : ''}`,
  };
}

/** A code, and not a text that may quote an address. */
const PLAIN_CODE = /^[A-Za-z0-9_.-]{1,40}$/;
const named = (code: string | undefined) => (code !== undefined && PLAIN_CODE.test(code) ? ` (${code})` : '');

function kindOf(rule: EventRule, event: unknown): ReceiptKind | undefined {
  for (const { path, values } of rule.kind) {
    const text = textAt(event, path)?.trim().toLowerCase();
    if (text === undefined) continue;
    const found = Object.entries(values).find(([value]) => value.toLowerCase() === text);
    if (found) return found[1];
  }
  return undefined;
}

function digest(raw: Buffer, ...position: number[]): string {
  return createHash('sha256').update(raw).update(position.join('/')).digest('hex');
}
