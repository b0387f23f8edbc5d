import { SvcError } from '../../cli/errors/svc-error.ts';
import { parseUserRequest, type UserRequest } from '../../cli/input/user-request.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { CHANNELS, PRIORITIES, type TriggerRequest } from '../../contract/schemas.ts';
import { definedFields } from '../../kit/defined-fields.ts';
import { findPersonalData } from '../../kit/personal-data.ts';

/** The flags of `svc notifications trigger` that add to a request. */
export interface TriggerFlags {
  readonly template?: string | undefined;
  readonly channel?: string | undefined;
  readonly var?: readonly string[] | undefined;
  readonly priority?: string | undefined;
  /** A time. */
  readonly 'send-at'?: string | undefined;
  readonly 'allow-personal-data': boolean;
}

/** The request for a user (specification: Notification trigger request). Throws `usage`, `personal_data`. */
export function triggerRequest(hashId: string, flags: TriggerFlags): TriggerRequest {
  return complete({ hashId }, flags);
}

/**
 * The request for a line of `--input`. Flags supply what the line leaves out, and fields unknown to this version are
 * kept. Throws like `triggerRequest`.
 */
export function triggerRequestOfLine(
  line: string,
  flags: TriggerFlags,
  service: { readonly isLocal: boolean },
): TriggerRequest {
  return complete(parseUserRequest(line, ['variables'], service), flags);
}

/** Warns about a channel or priority that this version does not know. It is sent nevertheless. */
export function warnOfUnknown({ channel, priority }: TriggerFlags, out: Output): void {
  if (channel !== undefined && !(CHANNELS as readonly string[]).includes(channel))
    out.warn(`channel ${channel} is not one of ${CHANNELS.join(', ')}; sent as given`);
  if (priority !== undefined && !(PRIORITIES as readonly string[]).includes(priority))
    out.warn(`priority ${priority} is not one of ${PRIORITIES.join(', ')}; sent as given`);
}

function complete(given: UserRequest, flags: TriggerFlags): TriggerRequest {
  const variables = { ...parseVariables(flags.var ?? []), ...(given.variables as object | undefined) };
  const request = {
    ...given,
    templateId: given.templateId ?? flags.template,
    channel: given.channel ?? flags.channel,
    ...(Object.keys(variables).length > 0 ? { variables } : {}),
    ...definedFields({
      priority: given.priority ?? flags.priority,
      sendAt: given.sendAt ?? flags['send-at'],
    }),
  } as TriggerRequest;
  if (request.templateId === undefined) throw missing('templateId', '--template');
  if (request.channel === undefined) throw missing('channel', '--channel');
  if (!flags['allow-personal-data']) refusePersonalData(request);
  return request;
}

function missing(field: string, flag: string): SvcError {
  return new SvcError('usage', `no ${field} is given`, { hint: `add ${flag}` });
}

/** Callers never send personal data; the service adds it (specification: What the service does, move 4). */
function refusePersonalData({ hashId, variables = {} }: TriggerRequest): void {
  const values = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
  const found = [
    ...findPersonalData({ hashId }),
    ...findPersonalData(values).map((finding) => ({ ...finding, name: `variable ${finding.name}` })),
  ];
  const [first] = found;
  if (!first) return;
  const all = found.map(
    ({ name, kind, by }) => `${name} ${by === 'name' ? 'is named like' : 'contains'} ${kind}`,
  );
  throw new SvcError('personal_data', `this looks like personal data: ${all.join('; ')}`, {
    hint: 'remove it, because the service adds names, phone and account numbers; if this is not personal data, add --allow-personal-data',
  });
}

/** The values of `--var`. Throws usage. */
export function parseVariables(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new SvcError('usage', `--var ${text} is not NAME=VALUE`, {
          hint: 'write, for example, --var orderId=A-1',
        });
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
