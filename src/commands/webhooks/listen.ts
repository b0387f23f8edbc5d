import { resolve } from 'node:path';
import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { isLoopback } from '../../cli/connection/settings.ts';
import { EXIT, type ExitCode } from '../../cli/errors/exit-codes.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { asUsageError } from '../../cli/errors/usage-error.ts';
import { parseDuration } from '../../cli/flags/duration.ts';
import { eventNames } from '../../cli/flags/event-flag.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { stopWhenOutputCloses } from '../../cli/input/output-closed.ts';
import type { Invocation } from '../../cli/invocation/invocation.ts';
import { escapeJson, sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { dim, green, red, type Text } from '../../cli/terminal/text.ts';
import { TAP_KINDS } from '../../contract/event-kinds.ts';
import { listenError } from '../../features/listen/listen-error.ts';
import { registration, registrationMode } from '../../features/listen/registration-options.ts';
import { jsonLine, TextRenderer } from '../../features/listen/report-view.ts';
import { parseRoutes, type Route, RouteError } from '../../features/listen/routes.ts';
import { runSession, type SessionEvents } from '../../features/listen/session.ts';
import { kindsIn, orUnknownKinds, warnOfUnknownKinds } from '../../features/webhooks/event-kinds.ts';
import { testCommand } from '../../features/webhooks/handler.ts';
import { listenSecrets, secretFlags } from '../../features/webhooks/known-secrets.ts';
import { parseSince } from '../../features/webhooks/since.ts';
import { missedOf, missedText } from '../../features/webhooks/view.ts';

export default class WebhooksListen extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Receive and verify deliveries locally, and forward them to your handler';
  static override description =
    `Verifies the signature of the raw bytes and answers 200 or 401. A mismatch is explained, with the line of code that
fixes it. With --forward-to, your handler gets the same bytes and headers, and the sender gets its status.
On \`local\`, in \`svc serve exec\` and with \`svc serve --allow-loopback-webhooks\` the listener subscribes itself with a
lease, and removes the subscription when it stops. Without a service it needs only a signing secret.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --profile local',
    '<%= config.bin %> <%= command.id %> --forward-to localhost:3000/webhooks --secret-file secret.txt',
    '<%= config.bin %> <%= command.id %> -f campaign.clicked=3000/clicked -f 3000/rest --record deliveries.ndjson',
    '<%= config.bin %> <%= command.id %> --profile local --count 1 --json',
    '<%= config.bin %> <%= command.id %> --profile local --since 1h',
  ];
  static override exitCodes = [0, 1, 2, 4, 5, 6, 130] as const;
  static override flags = {
    ...secretFlags,
    port: Flags.integer({
      summary: 'port to listen on; 0 selects a free one',
      default: 4500,
      min: 0,
      max: 65535,
    }),
    host: Flags.string({ summary: 'address to listen on', default: '127.0.0.1' }),
    'forward-to': Flags.string({
      char: 'f',
      summary: 'forward deliveries to this URL; with KIND= only those of that kind',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: '[KIND=]URL',
    }),
    event: Flags.string({
      ...eventNames,
      summary: `kinds to accept and to subscribe to, as of webhooks create (default and '*': ${TAP_KINDS.join(', ')})`,
      helpValue: 'K,K',
    }),
    count: Flags.integer({
      summary: 'stop after this number of verified deliveries',
      min: 1,
      helpValue: 'N',
    }),
    record: Flags.string({
      summary: 'append verified deliveries to a file for webhooks replay',
      helpValue: 'FILE',
    }),
    register: Flags.string({
      summary: 'subscribe with this public URL, which must reach this listener',
      helpValue: 'PUBLIC_URL',
      exclusive: ['no-register'],
    }),
    'no-register': Flags.boolean({ summary: 'do not subscribe to the service' }),
    since: Flags.string({
      summary: 'also receive the outcomes since a time, or since so long ago',
      helpValue: '1h|TIME',
      exclusive: ['no-register'],
    }),
    lease: Flags.string({
      summary: 'time after which the subscription of a killed listener expires',
      default: '30s',
      helpValue: '30s',
    }),
  };

  protected override async run(context: Context<typeof WebhooksListen>): Promise<ExitCode> {
    const { flags, world, out, paths } = context;
    // A listener that nobody reads any more removes its subscription, as after Ctrl-C.
    const output = stopWhenOutputCloses(world, context.signal);
    const routes = routesOf(flags['forward-to'] ?? [], flags.port);
    const kinds = kindsIn(flags.event);
    warnOfUnknownKinds(kinds ?? [], out);
    const leaseSeconds = leaseOf(flags.lease);
    const wants = registrationMode(flags, world);
    const since = flags.since === undefined ? undefined : parseSince(flags.since, world.clock.now());
    if (since !== undefined && wants === 'no')
      throw new SvcError('usage', '--since needs a subscription of this listener', {
        hint: (invocation) => invocation.locally(),
      });
    const { secrets, others, given } = await listenSecrets(flags, world, paths, wants !== 'no');
    if (!given && routes.length > 0) {
      out.warn(
        `your handler does not have the signing secret of this run\n  next: use a secret file for both: ${secretFileCommand(context.invocation)}`,
      );
    }
    const register =
      wants === 'no'
        ? undefined
        : registration({
            connection: await context.connect({ lasting: true }),
            flags,
            kinds,
            secret: secrets[0]!.secret,
            since,
            leaseSeconds,
            subscriptionOptional: given && since === undefined,
            out,
            invocation: context.invocation,
          });
    const session = runSession({
      port: flags.port,
      host: flags.host,
      secrets,
      others,
      routes,
      kinds,
      count: flags.count,
      record: flags.record === undefined ? undefined : resolve(world.cwd, flags.record),
      register,
      clock: world.clock,
      signal: output.signal,
      on: events(context, routes, given),
    });
    const ended = await orUnknownKinds(kinds ?? [], session)
      .catch((error: unknown) => {
        throw listenError(error, flags);
      })
      .finally(() => output.dispose());
    return ended === 'counted' || output.closed() ? EXIT.done : EXIT.interrupted;
  }
}

/** Returns the same command with a secret file, which the handler can read too. */
const secretFileCommand = (invocation: Invocation) => invocation.rerunWith('--secret-file', 'secret.txt');

function events(
  { out, flags, world, invocation }: Context<typeof WebhooksListen>,
  routes: readonly Route[],
  given: boolean,
): SessionEvents {
  const text = new TextRenderer(out.isTerminal ? world.stdout.columns : undefined);
  return {
    ready: (url, registered) =>
      out.line({ type: 'ready', url: url.href, ...(registered ? { subscription: registered } : {}) }, () => [
        `listening on ${url.href}`,
        registered
          ? `\n  subscription ${sanitizeLine(registered.id ?? '(the service returned no identifier)')}`
          : '',
        registered ? `\n  kinds ${(kindsIn(flags.event) ?? TAP_KINDS).join(', ')}` : '',
        ...routes.map(
          ({ kind, url: to }) =>
            `\n  ${kind ?? (routes.length > 1 ? 'other kinds' : 'all kinds')} → ${to.href}`,
        ),
        '\n  stop with Ctrl-C',
      ]),
    report: (report) => {
      if (out.json) out.raw(`${escapeJson(jsonLine(report))}\n`);
      else
        out.line(report, () =>
          text.lines(report).flatMap((line, i) => [i === 0 ? '' : '\n', withColoredMark(line)]),
        );
    },
    catchingUp: (answer) => {
      const missed = missedOf(answer);
      if (missed) out.notice(missedText(missed));
    },
    notice: (words) => out.warn(words),
    refused: (url, status) =>
      out.warn(
        [
          `${url.href} refused a verified delivery with ${status}: its signature check or its secret differs`,
          `  next: ${given ? testCommand(url, flags, invocation) : secretFileCommand(invocation)}`,
        ].join('\n'),
      ),
    warn: (words) => out.warn(words),
  };
}

/** Colors the time and the mark of a report. */
function withColoredMark(line: string): Text {
  const [, time, mark, rest] = /^(\d\d:\d\d:\d\d {2})([✓✗])(.*)$/s.exec(line) ?? [];
  return mark === undefined ? line : [dim(time!), mark === '✓' ? green(mark) : red(mark), rest!];
}

function routesOf(values: readonly string[], port: number): Route[] {
  const routes = parsedRoutes(values);
  const loop = routes.find(({ url }) => isLoopback(url.hostname) && Number(url.port || 80) === port);
  if (loop) {
    throw new SvcError('usage', `${loop.url.href} is this listener, which cannot forward to itself`, {
      hint: 'use the port of your handler in --forward-to, or another port for the listener with --port',
    });
  }
  return routes;
}

function parsedRoutes(values: readonly string[]): Route[] {
  return asUsageError(RouteError, 'for example --forward-to http://localhost:3000/webhooks', () =>
    parseRoutes(values),
  );
}

/** Parses a lease in seconds, within the limits of the contract. */
function leaseOf(text: string): number {
  const seconds = Math.round(parseDuration(text, '--lease') / 1000);
  if (seconds < 5 || seconds > 86_400) {
    throw new SvcError('usage', `--lease must be between 5s and 24h, not ${text}`, {
      hint: 'for example --lease 30s',
    });
  }
  return seconds;
}
