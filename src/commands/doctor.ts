import stringWidth from 'string-width';
import { type Context, SvcCommand } from '../cli/command/command.ts';
import { withoutPath } from '../cli/connection/base-path.ts';
import type { Paths } from '../cli/connection/paths.ts';
import { EXIT, type ExitCode } from '../cli/errors/exit-codes.ts';
import { addressSuffix } from '../cli/errors/service-error.ts';
import { SvcError } from '../cli/errors/svc-error.ts';
import { toSvcError } from '../cli/errors/to-svc-error.ts';
import { Flags } from '../cli/flags/oclif.ts';
import type { Settings } from '../cli/invocation/settings.ts';
import { sanitizeLine } from '../cli/terminal/sanitize.ts';
import { withSpinner } from '../cli/terminal/spinner.ts';
import { bold, dim, green, red, type Text, yellow } from '../cli/terminal/text.ts';
import type { Check } from '../features/doctor/check.ts';
import type { Expected } from '../features/doctor/region.ts';
import { regionsOf } from '../features/regions/regions.ts';
import { wrap } from '../kit/wrap.ts';
import { Profiles } from '../profiles/profiles.ts';

const MARKS = { ok: green('ok  '), warn: yellow('warn'), fail: red('FAIL'), skipped: dim('-   ') } as const;

export default class Doctor extends SvcCommand {
  static override summary = 'Diagnose configuration and connectivity problems';
  static override description =
    `Checks the configuration, the address, TLS, the identity of the server, the key, the region, the mode of the
workspace, the clock, what guards of goals took out of choice, the rate limits and, on \`local\`, the age of the last backup, if one was made. Prints one row per check, with the finding and the next step, and exits with the highest exit code of a failed
check. Sends two reads (GET /v1/webhooks and, if the key is accepted, GET /v1/model). --probe also sends 23 decisions and compares their P95 latency with the
target of 100 ms.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile prod --probe',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override flags = {
    probe: Flags.boolean({
      summary: 'also measure the latency of decisions, which count against the rate limit',
    }),
  };

  protected override async run(context: Context<typeof Doctor>): Promise<ExitCode> {
    const { flags, out, signal } = context;
    const { worst } = await import('../features/doctor/check.ts');
    const checks = await runChecks(context);
    if (signal.aborted)
      throw new SvcError('interrupted', 'interrupted', { hint: (invocation) => invocation.rerunWith() });
    const failure = worst(checks);
    const rows = checks.map(({ check, status, seen, next, failure }) => ({
      check,
      status,
      seen,
      next: failure?.hintFor(context.invocation) ?? next ?? null,
      exitCode: failure?.exitCode ?? 0,
    }));
    out.result({ ok: failure === undefined, probed: flags.probe === true, checks: rows }, () =>
      rows.flatMap((row, index) => [index === 0 ? '' : '\n', ...line(row, out.columns)]),
    );
    // The rows have said it.
    if (failure && !out.json) return failure.exitCode as ExitCode;
    if (failure) throw failure;
    return EXIT.done;
  }
}

interface Row {
  readonly check: string;
  readonly status: Check['status'];
  readonly seen: string;
  readonly next: string | null;
}

const INDENT = 20;

/** Renders a check: its name and the text beside it, wrapped to `columns`. */
function line({ check, status, seen, next }: Row, columns: number | undefined): Text[] {
  const style = (text: Text): Text => (status === 'skipped' ? dim(text) : text);
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(20, columns - INDENT);
  const indented = (lines: string[]) => lines.join(`\n${' '.repeat(INDENT)}`);
  const steps = next === null ? [] : `next: ${next}`.split('\n').flatMap((step) => stepLines(step, width));
  return [
    MARKS[status],
    '  ',
    bold(check.padEnd(INDENT - 6)),
    style(indented(wrap(sanitizeLine(seen), width))),
    ...(steps.length > 0 ? [dim(indented(['', ...steps]))] : []),
  ];
}

/** Wraps a step. A command that does not fit is put on a separate line and not wrapped, so that it can be pasted. */
function stepLines(step: string, width: number): string[] {
  const text = sanitizeLine(step);
  const [, words, command] = /^(.*?:) ((?:svc|export|unset|read|rm|mv) .+)$/.exec(text) ?? [];
  if (!words || !command || stringWidth(text) <= width) return wrap(text, width);
  return [...wrap(words, width), `  ${command}`];
}

async function runChecks(context: Context<typeof Doctor>): Promise<Check[]> {
  const { flags, world, out, paths, signal, connect } = context;
  const { fail, ok, skipped } = await import('../features/doctor/check.ts');
  let settings: Settings;
  try {
    settings = context.resolveSettings();
  } catch (error) {
    return [fail('configuration', toSvcError(error, flags.debug))];
  }
  const checks: Check[] = [];
  if (settings.kind === 'local') {
    checks.push(
      ok('configuration', `local (${settings.by}): the service in this process, data in ${paths.database}`),
    );
    checks.push(skipped('address', 'in this process'), skipped('tls', 'in this process'));
  } else {
    const { baseUrl } = settings;
    const { checkConfiguration } = await import('../features/doctor/configuration.ts');
    checks.push(checkConfiguration(settings));
    const { checkAddress } = await import('../features/doctor/address.ts');
    const reach = await checkAddress(baseUrl, world.clock.now());
    checks.push(...reach.checks);
    if (!reach.reached)
      return [
        ...checks,
        ...['service', 'key', 'region', 'mode', 'clock', 'limits'].map((name) =>
          skipped(name, 'not reached'),
        ),
      ];
  }
  const connection = await connect({ maxRetries: 0, diagnoses: true });
  const { checkService } = await import('../features/doctor/service.ts');
  const expected = settings.kind === 'remote' ? regionExpected(settings, paths) : undefined;
  const address = {
    suffix: addressSuffix(context.invocation),
    alternative:
      settings.kind === 'remote' ? withoutPath(settings.baseUrl, settings.origins.baseUrl) : undefined,
  };
  const now = () => world.clock.now();
  const { workspace } = connection;
  const toLive =
    settings.kind === 'local'
      ? `to make it a live one: ${context.invocation.onSameService('workspaces', 'update', workspace, '--mode', 'live')}`
      : 'use the key of a live workspace; the operator of the service creates one with `workspaces create --mode live`';
  const toWebhook = (id: string) => context.invocation.onSameService('webhooks', 'get', id);
  const place = { workspace, toLive, toWebhook };
  const seen = await checkService(connection.client, expected, now, signal, address, place);
  const keyFailed = seen.some(({ check, status }) => check === 'key' && status === 'fail');
  if (!flags.probe || keyFailed) checks.push(...seen);
  else {
    const { probeDecisions } = await import('../features/doctor/probe.ts');
    const probe = () => probeDecisions(connection.client, signal);
    const { check, evidence } = await withSpinner(world, out, 'measuring decisions', probe);
    // A service may lack the read that identifies it; a decision identifies it as well.
    const identity =
      evidence === undefined ? undefined : ok('service', `recognised by ${evidence}, in its decisions`);
    checks.push(...seen.map((row) => (row.check === 'service' && identity ? identity : row)), check);
  }
  if (checks.some(({ check, status }) => check === 'key' && status === 'ok')) {
    const { checkGuards } = await import('../features/doctor/guards.ts');
    const toModel = context.invocation.onSameService('model');
    checks.push(...(await checkGuards(connection.client, toModel, signal)));
  }
  const { checkLimits } = await import('../features/doctor/limits.ts');
  const { limitRows } = await import('../features/limits/rows.ts');
  checks.push(checkLimits(limitRows(connection.limits.read(), world.clock.now()), context.invocation));
  if (settings.kind === 'local') {
    const { lastBackupOf } = await import('../features/data/last-backup.ts');
    const at = await lastBackupOf(paths.database, world.clock);
    const { checkBackup } = await import('../features/doctor/backup.ts');
    if (at !== undefined) checks.push(checkBackup(at, world.clock.now(), context.invocation));
  }
  return checks;
}

/** The region that the settings name, and the other address that a profile has for it. */
function regionExpected(
  { region, baseUrl, origins }: Extract<Settings, { kind: 'remote' }>,
  { configDir }: Paths,
): Expected | undefined {
  if (region === undefined || origins.region === undefined) return undefined;
  const otherAddress = () =>
    regionsOf(new Profiles(configDir).read().profiles).find(
      (one) => one.region === region && one.baseUrl !== baseUrl.replace(/\/+$/, ''),
    )?.baseUrl;
  return { region, origin: origins.region, addressOrigin: origins.baseUrl, otherAddress };
}
