import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseUserRequest, type UserRequest } from '../../cli/input/user-request.ts';
import type { DecideRequest } from '../../contract/schemas.ts';
import { definedFields } from '../../kit/defined-fields.ts';

/** The flags of `svc decide` that add to a request. */
export interface DecideFlags {
  readonly channel?: string | undefined;
  readonly surface?: string | undefined;
  readonly locale?: string | undefined;
  /** Further fields of the context, each `key=value`. */
  readonly context?: readonly string[] | undefined;
  readonly 'exclude-category'?: readonly string[] | undefined;
  readonly 'max-daily-contacts'?: number | undefined;
}

/** The request for a user. Parts that no flag sets are absent, never null (specification: Decision request). */
export function decideRequest(hashId: string, flags: DecideFlags): DecideRequest {
  return complete({ hashId }, flags);
}

/**
 * The request for a line of `--input`. Flags supply what the line leaves out, and fields unknown to this version are
 * kept. Throws SvcError `usage`.
 */
export function decideRequestOfLine(
  line: string,
  flags: DecideFlags,
  service: { readonly isLocal: boolean },
): DecideRequest {
  return complete(parseUserRequest(line, ['context', 'guardrails'], service), flags);
}

function complete({ context, guardrails, ...rest }: UserRequest, flags: DecideFlags): DecideRequest {
  const categories = flags['exclude-category'];
  const parts = {
    context: {
      ...Object.fromEntries(contextFields(flags)),
      ...(context as object | undefined),
    },
    guardrails: {
      ...definedFields({
        excludeCategories: categories?.length ? [...categories] : undefined,
        maxDailyContacts: flags['max-daily-contacts'],
      }),
      ...(guardrails as object | undefined),
    },
  };
  const given = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  return { ...rest, ...Object.fromEntries(given) } as DecideRequest;
}

/** The fields of the context that flags give. Throws SvcError `usage`, also where two give one field. */
function contextFields({ channel, surface, locale, context = [] }: DecideFlags) {
  const place = Object.entries(definedFields({ channel, surface, locale }));
  const fields = [...place, ...context.map(contextField)];
  const names = fields.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return fields;
  throw new SvcError('usage', `the field ${twice} of the context is given twice`, {
    hint: 'leave out one of them',
  });
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
