import { shell } from '../../kit/shell.ts';
import type { Context } from '../command/command.ts';
import type { Connection } from '../connection/connect.ts';
import { SvcError } from '../errors/svc-error.ts';
import { Flags } from '../flags/oclif.ts';
import { NO_INVOCATION } from '../invocation/invocation.ts';
import type { Output } from '../terminal/output.ts';

/** The flags that name one user; exactly one of them is given. */
export const userFlags = {
  'hash-id': Flags.string({
    summary: 'hashed identifier of the user, as `svc users import` prints it',
    exclusive: ['user-id'],
    helpValue: 'H',
  }),
  'user-id': Flags.string({
    summary: 'your identifier of the user, in place of --hash-id; only on `local`',
    helpValue: 'U',
  }),
};

interface UserFlags {
  readonly 'hash-id'?: string | undefined;
  readonly 'user-id'?: string | undefined;
}

/** A hashId of our own service: hex HMAC-SHA-256 (src/service/users/hash-id.ts). That of another service is opaque. */
const HASH_ID = /^[0-9a-f]{64}$/;

/** Checks a hashId of the service on this machine, or of the data in `place`, before it is sent. Throws `usage`. */
export function checkLocalHashId(hashId: string, place = 'local'): void {
  if (HASH_ID.test(hashId)) return;
  throw new SvcError('usage', `${hashId} is not a hashId of ${place}, which has 64 lower-case hex digits`, {
    hint: (invocation) =>
      [
        ...(HASH_ID.test(hashId.toLowerCase()) ? [`in lower case: ${hashId.toLowerCase()}`] : []),
        // A line of --input has no command line.
        ...(invocation === NO_INVOCATION
          ? []
          : [
              `if it is your identifier of the user: ${invocation.replacing('--hash-id', '--user-id', hashId)}`,
            ]),
        ...(place === 'local' ? [shell`its hashId: svc users get --user-id ${hashId} --profile local`] : []),
      ].join('\n'),
  });
}

type UserContext = Pick<Context, 'out' | 'resolveSettings' | 'connect'> & { readonly flags: UserFlags };

/** Throws `usage` where no user is named. `orElse` is what else may be added, in words. */
export function requireUser(flags: UserFlags, orElse = ''): void {
  if (flags['hash-id'] || flags['user-id']) return;
  throw new SvcError('usage', 'no user is given', {
    hint: `add --hash-id H${orElse}; \`svc users import\` prints hashIds, and \`local\` takes --user-id U too`,
  });
}

/**
 * Connects, and resolves with the hashId of the user that the flags name. On `local` a hashId must have its form, which is
 * checked before anything is sent, and a user that is not known is named in a notice. Throws `usage`.
 */
export async function connectForUser(
  context: UserContext,
  orElse = '',
  ifUnknown?: string,
): Promise<{ readonly connection: Connection; readonly hashId: string }> {
  requireUser(context.flags, orElse);
  const { connection, hashId = '' } = await connectForUserIfNamed(context, ifUnknown);
  return { connection, hashId };
}

/** Does the same where the flags may name no user: then there is no hashId. */
export async function connectForUserIfNamed(
  { flags, out, resolveSettings, connect }: UserContext,
  ifUnknown?: string,
): Promise<{ readonly connection: Connection; readonly hashId: string | undefined }> {
  const { 'hash-id': hashId, 'user-id': userId } = flags;
  const isLocal = resolveSettings().kind === 'local';
  if (userId !== undefined && !isLocal) throw userIdElsewhere();
  if (hashId !== undefined && isLocal) checkLocalHashId(hashId);
  const connection = await connect();
  if (!connection.service || (hashId === undefined && userId === undefined)) return { connection, hashId };
  const user = await connection.service.identify({ hashId, userId });
  warnOfUnknownUser(out, flags, user, { ifUnknown });
  return { connection, hashId: user.hashId };
}

interface UnknownUser {
  readonly place?: string | undefined;
  readonly ifUnknown?: string | undefined;
}

/** Prints a notice if a user is not known at `place`; `ifUnknown` is what this means for the command. */
export function warnOfUnknownUser(
  out: Output,
  flags: UserFlags,
  user: { readonly known: boolean },
  { place = 'local', ifUnknown = '`svc users import` creates users' }: UnknownUser = {},
): void {
  if (user.known) return;
  const named =
    flags['user-id'] === undefined ? `the hashId ${flags['hash-id']}` : `the userId ${flags['user-id']}`;
  out.notice(`no user on ${place} has ${named}; ${ifUnknown}`);
}

function userIdElsewhere(): SvcError {
  return new SvcError(
    'usage',
    '--user-id works on `local` only: another service makes hashIds with a key that never leaves it',
    {
      hint: (invocation) =>
        `give the hashId that \`svc users import\` printed: ${invocation.replacing('--user-id', '--hash-id', 'H')}`,
    },
  );
}
