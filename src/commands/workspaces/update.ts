import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { databaseFlag } from '../../cli/connection/database.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Args, Flags } from '../../cli/flags/oclif.ts';
import { MAX_NAME } from '../../contract/limits.ts';
import { withAccounts } from '../../features/accounts/open.ts';
import { workspaceRegion, workspaceRegionFlag } from '../../features/accounts/region.ts';
import { stateOf } from '../../features/accounts/view.ts';

/** As many as one answer to a browser should be compared with. */
const MAX_ORIGINS = 100;
/** As many as a request should be compared with. */
const MAX_APP_EVENTS = 200;
const MAX_APP_PROPERTIES = 51;

export default class WorkspacesUpdate extends SvcCommand {
  static override summary = 'Change a workspace of this service';
  static override description =
    `A test workspace sends notifications to the outbox file only; a live one through the configured channels. Its keys stay
valid. A service that has a region (\`svc serve --region\`) answers workspaces of another region slower. Apps outside a browser may use publishable keys at once; web pages only from the origins named here. Where events are named with --app-event, apps may track no others. Running
services act on the change at once.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> ws_shop --mode live --profile local',
    '<%= config.bin %> <%= command.id %> ws_shop --workspace-region eu --profile local',
    '<%= config.bin %> <%= command.id %> ws_shop --origin https://shop.example --profile local',
    '<%= config.bin %> <%= command.id %> ws_shop --app-event page_view --app-event purchase=amount,currency --profile local',
  ];
  static override exitCodes = [0, 1, 2, 6] as const;
  static override args = { workspace: Args.string({ required: true, description: 'id of the workspace' }) };
  static override flags = {
    database: databaseFlag,
    mode: Flags.string({
      summary: 'whether it sends notifications to people',
      options: ['live', 'test'] as const,
      helpValue: 'live|test',
    }),
    'workspace-region': workspaceRegionFlag,
    origin: Flags.string({
      summary: 'origin of web pages that may use publishable keys; replaces all; * for any, none for none',
      multiple: true,
      helpValue: 'ORIGIN',
    }),
    'app-event': Flags.string({
      summary:
        'event that apps may track, with any properties or with these; replaces all; * for any (default)',
      multiple: true,
      helpValue: 'NAME[=PROPERTY,…]',
    }),
    'user-tokens': Flags.boolean({
      summary:
        'require a user token beside a publishable key (default); only a test workspace can do without',
      allowNo: true,
    }),
  };

  protected override async run(context: Context<typeof WorkspacesUpdate>): Promise<void> {
    const { args, flags, out, invocation } = context;
    const mode = flags.mode as 'live' | 'test' | undefined;
    const tokens = flags['user-tokens'];
    const region = workspaceRegion(flags);
    if ([mode, region, flags.origin, flags['app-event'], tokens].every((given) => given === undefined))
      throw new SvcError(
        'usage',
        'nothing to change: name --mode, --workspace-region, --origin, --app-event or --user-tokens',
        {
          hint: (invocation) => invocation.rerunWith('--mode', 'live'),
        },
      );
    const change = {
      mode,
      region,
      origins: flags.origin && originsOf(flags.origin),
      openClients: tokens === undefined ? undefined : !tokens,
      clientEvents: flags['app-event'] && appEventsOf(flags['app-event']),
    };
    const { changed, testKeys } = await withAccounts(context, async (accounts) => {
      const changed = await accounts.updateWorkspace(args.workspace, change);
      if (mode !== 'live') return { changed, testKeys: [] };
      const { keys, now } = await accounts.listKeys(args.workspace);
      const isValidTestKey = ({ kind, endsAt }: (typeof keys)[number]) =>
        kind === 'test' && stateOf(endsAt, now) === 'active';
      return { changed, testKeys: keys.filter(isValidTestKey) };
    });
    const { mode: kept, region: place, clients } = changed;
    const { origins, events } = clients;
    const result = {
      workspace: args.workspace,
      mode: kept,
      region: place,
      origins,
      appEvents: events ?? null,
      userTokens: !clients.open,
    };
    out.result(result, () =>
      [
        `${args.workspace} is a ${kept ?? 'live'} workspace${place === null ? ' without a region' : ` of the region ${place}`}`,
        `web pages that may use publishable keys: ${origins.length === 0 ? 'none' : origins.join(', ')}`,
        `events that apps may track: ${events ? Object.keys(events).join(', ') : 'any'}`,
        ...(clients.open ? ['its publishable keys need no user token'] : []),
      ].join('\n'),
    );
    const [first] = testKeys;
    if (first)
      out.notice(
        `${testKeys.length === 1 ? 'a key that begins' : `${testKeys.length} keys that begin`} with sk_test_ can notify people from now on; replace ${testKeys.length === 1 ? 'it' : 'each'} by one that says live: ${invocation.onSameResource(first.keyId, 'keys', 'rotate')}`,
      );
  }
}

/** Checks origins (RFC 6454, 6.2: scheme, host and port only). Throws usage. */
function originsOf(given: readonly string[]): readonly string[] {
  if (given.length === 1 && given[0] === 'none') return [];
  if (given.length > MAX_ORIGINS)
    throw new SvcError('usage', `${given.length} origins are too many: at most ${MAX_ORIGINS}`, {
      hint: (invocation) => invocation.rerunWith('--origin', '*'),
    });
  for (const origin of given) {
    if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) continue;
    throw new SvcError('usage', `${origin} is not the origin of a web page: scheme, host and port only`, {
      hint: 'write it as browsers send it: --origin https://shop.example',
    });
  }
  return given;
}

/** Parses the events that apps may track, and their properties; null for any. Throws usage. */
function appEventsOf(given: readonly string[]): Readonly<Record<string, readonly string[] | null>> | null {
  if (given.length === 1 && given[0] === '*') return null;
  if (given.length > MAX_APP_EVENTS)
    throw new SvcError('usage', `${given.length} events are too many: at most ${MAX_APP_EVENTS}`, {
      hint: (invocation) => invocation.rerunWith('--app-event', '*'),
    });
  const events = given.map((text) => {
    const [, name = '', list] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const properties = list === undefined ? null : list.split(',').filter((property) => property !== '');
    const names = [name, ...(properties ?? [])];
    if (name === '' || names.length > MAX_APP_PROPERTIES || names.some((each) => each.length > MAX_NAME))
      throw new SvcError('usage', `${text} does not name an event that apps may track`, {
        hint: `write the name, and its properties after =: --app-event purchase=amount,currency (at most ${MAX_APP_PROPERTIES - 1} properties)`,
      });
    return [name, properties] as const;
  });
  return Object.fromEntries(events);
}
