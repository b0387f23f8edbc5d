import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import {
  checkLocalHashId,
  connectForUser,
  requireUser,
  userFlags,
  warnOfUnknownUser,
} from '../../cli/input/named-user.ts';
import { USER_TOKEN_SECONDS } from '../../contract/limits.ts';
import { withAccounts } from '../../features/accounts/open.ts';
import { maskUrl } from '../../kit/mask-url.ts';
import { objectOf } from '../../kit/object-of.ts';

export default class UsersToken extends SvcCommand {
  static override summary = 'Create a token with which an app acts for one user';
  static override description =
    `An app sends the token as X-Service-User-Token beside a publishable key: with it, it tracks events of this user, lists
their messages and reports outcomes, and nothing else. A token by --user-id also says the userId to the app, which it needs
to track. Your server does the same with POST /v1/users/{hashId}/tokens.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c…',
    '<%= config.bin %> <%= command.id %> --hash-id 3f1c… --ttl 10m --json | jq -r .token',
  ];
  static override flags = {
    ...userFlags,
    ttl: Flags.string({ summary: 'how long it is valid, 1m to 24h', default: '1h', helpValue: '1h' }),
    database: databaseFlag,
  };

  protected override async run(context: Context<typeof UsersToken>): Promise<void> {
    const { flags, out, paths, world, signal } = context;
    requireUser(flags);
    const { 'hash-id': named, 'user-id': userId, workspace } = flags;
    const seconds = secondsOf(flags.ttl);
    const create = async (): Promise<object> => {
      if (flags.database !== undefined) {
        const place = placeOf(flags.database, workspace);
        if (named !== undefined) checkLocalHashId(named, place);
        return withAccounts(context, async (accounts) => {
          const user = await accounts.identify(workspace, { hashId: named, userId });
          warnOfUnknownUser(out, flags, user, { place });
          return accounts.userToken({
            workspace,
            hashId: user.hashId,
            userId,
            seconds,
            dataDir: paths.dataDir,
            dataKey: world.env.SVC_DATA_KEY || undefined,
          });
        });
      }
      const { connection, hashId } = await connectForUser(context);
      const call = connection.client.call('createUserToken', {
        params: { hashId },
        body: { ttlSeconds: seconds, ...(userId === undefined ? {} : { userId }) },
        signal,
      });
      return objectOf((await orUnsupportedFeature('user tokens', call)).body);
    };
    const made = await create();
    const { token, expiresAt } = made as { token?: unknown; expiresAt?: unknown };
    out.result({ ...made, token, expiresAt }, () => `${token}\nexpires ${expiresAt}`);
  }
}

/** The data that were looked at, in words. */
const placeOf = (database: string, workspace: string | undefined) =>
  workspace === undefined ? maskUrl(database) : `${maskUrl(database)}, workspace ${workspace},`;

/** Parses the validity into whole seconds. Throws usage. */
function secondsOf(ttl: string): number {
  const seconds = parseDuration(ttl, '--ttl') / 1000;
  const { least, most } = USER_TOKEN_SECONDS;
  if (Number.isInteger(seconds) && seconds >= least && seconds <= most) return seconds;
  throw new SvcError('usage', `--ttl ${ttl} is not whole seconds between 1m and 24h`, {
    hint: (invocation) => invocation.rerunWith('--ttl', '1h'),
  });
}
