import { SvcError } from '../../cli/errors/svc-error.ts';
import type { DecideRequest } from '../../contract/schemas.ts';

/** What the flags of `svc decide` say beside the user. */
export interface DecideFlags {
  readonly channel?: string | undefined;
  readonly surface?: string | undefined;
  readonly locale?: string | undefined;
  /** Further fields of the context, each `key=value`. */
  readonly context?: readonly string[] | undefined;
  readonly 'exclude-category'?: readonly string[] | undefined;
  readonly 'max-daily-contacts'?: number | undefined;
}

/** The request for a user; parts that no flag names are absent, never null (specification: Decision request). */
export function decideRequest(hashId: string, flags: DecideFlags): DecideRequest {
  const { context, guardrails } = partsOf(flags);
  return {
    hashId,
    ...(Object.keys(context).length > 0 ? { context } : {}),
    ...(Object.keys(guardrails).length > 0 ? { guardrails } : {}),
  };
}

/**
 * The request of one line of `--input`: a bare hashId, or a JSON object as it shall be sent. What the flags say
 * completes it where the line is silent. A userId is left out, any other field that this version does not know is kept. Throws SvcError `usage`.
 */
export function decideRequestOfLine(line: string, flags: DecideFlags): DecideRequest {
  if (!/^[{["]/.test(line)) return decideRequest(line, flags);
  const value = parse(line);
  if (typeof value === 'string' && value !== '') return decideRequest(value, flags);
  if (!isObject(value) || typeof value.hashId !== 'string' || value.hashId === '')
    throw bad('the line names no hashId');
  for (const part of ['context', 'guardrails'])
    if (value[part] !== undefined && !isObject(value[part])) throw bad(`${part} must be an object`);
  const { context, guardrails } = partsOf(flags);
  const merged = {
    ...value,
    context: { ...context, ...(value.context as object | undefined) },
    guardrails: { ...guardrails, ...(value.guardrails as object | undefined) },
  };
  // `svc users import --json` prints the userId beside the hashId; no request has one.
  const {
    context: place,
    guardrails: rules,
    userId: _,
    ...rest
  } = merged as typeof merged & { userId?: unknown };
  return {
    ...rest,
    ...(Object.keys(place).length > 0 ? { context: place } : {}),
    ...(Object.keys(rules).length > 0 ? { guardrails: rules } : {}),
  } as DecideRequest;
}

function partsOf(flags: DecideFlags) {
  const { channel, surface, locale } = flags;
  const excludeCategories = flags['exclude-category'];
  const maxDailyContacts = flags['max-daily-contacts'];
  return {
    context: {
      ...(channel === undefined ? {} : { channel }),
      ...(surface === undefined ? {} : { surface }),
      ...(locale === undefined ? {} : { locale }),
      ...Object.fromEntries((flags.context ?? []).map(contextField)),
    },
    guardrails: {
      ...(excludeCategories?.length ? { excludeCategories: [...excludeCategories] } : {}),
      ...(maxDailyContacts === undefined ? {} : { maxDailyContacts }),
    },
  };
}

/** A field of the context as a flag gives it; true, false and numbers are read as such. Throws SvcError `usage`. */
function contextField(text: string): [string, string | number | boolean] {
  const cut = text.indexOf('=');
  if (cut < 1)
    throw new SvcError('usage', `${text} is not of the form key=value`, {
      hint: 'write it like --context daypart=morning',
    });
  const value = text.slice(cut + 1);
  if (value === 'true' || value === 'false') return [text.slice(0, cut), value === 'true'];
  return [text.slice(0, cut), /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(value) ? Number(value) : value];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw bad(`the line is not JSON: ${(error as Error).message}`);
  }
}

const bad = (message: string) =>
  new SvcError('usage', message, { hint: 'give a bare hashId or {"hashId": "…"} a line' });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
