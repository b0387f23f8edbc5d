import { SvcError } from '../../cli/errors/svc-error.ts';
import type { Output } from '../../cli/terminal/output.ts';
import { CHANNELS, PRIORITIES, type TriggerRequest } from '../../contract/schemas.ts';
import { findPersonalData } from './personal-data.ts';

/** What the flags of `svc notifications trigger` say beside the user. */
export interface TriggerFlags {
  readonly template?: string | undefined;
  readonly channel?: string | undefined;
  readonly var?: readonly string[] | undefined;
  readonly priority?: string | undefined;
  readonly 'allow-personal-data': boolean;
}

/** The request for a user (specification: Notification trigger request). Throws `usage`, `personal_data`. */
export function triggerRequest(hashId: string, flags: TriggerFlags): TriggerRequest {
  return complete({ hashId }, flags);
}

/**
 * The request of one line of `--input`: a bare hashId, or a JSON object as POST /v1/inform/trigger takes it. The
 * flags complete what the line leaves out; fields that this version does not know are kept. Throws like
 * `triggerRequest`.
 */
export function triggerRequestOfLine(line: string, flags: TriggerFlags): TriggerRequest {
  if (!/^[{["]/.test(line)) return triggerRequest(line, flags);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw bad(`the line is not JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'string' && value !== '') return triggerRequest(value, flags);
  if (!isObject(value) || typeof value.hashId !== 'string' || value.hashId === '')
    throw bad('the line names no hashId');
  if (value.variables !== undefined && !isObject(value.variables)) throw bad('variables must be an object');
  // `svc users import --json` prints the userId beside the hashId; no request has one.
  const { userId: _, ...request } = value;
  return complete(request, flags);
}

/** Warns of a channel or priority that the service on this machine does not know; it is sent all the same. */
export function warnOfUnknown({ channel, priority }: TriggerFlags, out: Output): void {
  if (channel !== undefined && !(CHANNELS as readonly string[]).includes(channel))
    out.warn(`channel ${channel} is not one of ${CHANNELS.join(', ')}; sent as given`);
  if (priority !== undefined && !(PRIORITIES as readonly string[]).includes(priority))
    out.warn(`priority ${priority} is not one of ${PRIORITIES.join(', ')}; sent as given`);
}

function complete(given: Record<string, unknown>, flags: TriggerFlags): TriggerRequest {
  const variables = { ...parseVariables(flags.var ?? []), ...(given.variables as object | undefined) };
  const request = {
    ...given,
    templateId: given.templateId ?? flags.template,
    channel: given.channel ?? flags.channel,
    ...(Object.keys(variables).length > 0 ? { variables } : {}),
    ...((given.priority ?? flags.priority) === undefined
      ? {}
      : { priority: given.priority ?? flags.priority }),
  } as TriggerRequest;
  for (const [field, flag] of [
    ['templateId', '--template'],
    ['channel', '--channel'],
  ] as const)
    if (request[field] === undefined)
      throw new SvcError('usage', `no ${field} is named`, { hint: `name one with ${flag}` });
  if (!flags['allow-personal-data']) refusePersonalData(request);
  return request;
}

/** The caller never sends personal data: the service joins it (specification: What the service does, move 4). */
function refusePersonalData({ hashId, variables = {} }: TriggerRequest): void {
  const values = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));
  const found = [
    ...findPersonalData({ hashId }),
    ...findPersonalData(values).map((finding) => ({ ...finding, name: `variable ${finding.name}` })),
  ];
  const [first] = found;
  if (!first) return;
  const all = found.map(
    ({ name, kind, by }) => `${name} ${by === 'name' ? 'is named like' : 'holds'} ${kind}`,
  );
  throw new SvcError('personal_data', `this looks like personal data: ${all.join('; ')}`, {
    hint: 'leave it out: the service joins name, phone and account number itself; if it is none, add --allow-personal-data',
  });
}

function parseVariables(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new SvcError('usage', `--var ${text} is not NAME=VALUE`, {
          hint: 'give one such as --var orderId=A-1',
        });
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

const bad = (message: string) =>
  new SvcError('usage', message, { hint: 'give a bare hashId or {"hashId": "…"} a line' });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
