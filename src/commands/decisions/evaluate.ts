import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { spanFlags } from '../../cli/flags/time-flags.ts';
import type { Client } from '../../client/client.ts';
import { type AnswerOf, ENDPOINTS } from '../../contract/endpoints.ts';
import { validate } from '../../contract/validation.ts';
import type { Evaluation } from '../../features/evaluation/estimators.ts';
import { evaluateLog, type LogEntry, type LogEvaluation } from '../../features/evaluation/evaluate-log.ts';
import { mapOf, rangeOf } from '../../features/evaluation/flag-values.ts';
import { readLogFile } from '../../features/evaluation/log-file.ts';
import { LOG_FIELDS } from '../../features/evaluation/log-row.ts';
import type { Estimate } from '../../features/evaluation/logged-decision.ts';
import { NAMED, policyOf } from '../../features/evaluation/policy-option.ts';

type LoggedEntry = AnswerOf<'listDecisions'>['decisions'][number];

/** Effective sample size below which an estimate deserves a warning. */
const MIN_EFFECTIVE = 100;

/** Share of choices of which the log says nothing that deserves a notice. */
const MIN_UNSUPPORTED = 0.01;

/** With fewer decisions than this, no estimate is reliable: one notice is enough. */
const TRIAL = 10;

export default class DecisionsEvaluate extends SvcCommand {
  static override summary = 'Evaluate decision policies on the decision log (off-policy)';
  static override description =
    `Estimates the mean reward of policies from the decision log of the service or, with --input, from a file: by inverse
propensity scoring (IPS), self-normalised IPS (SNIPS) and the doubly robust estimator (DR), each with its 95% confidence
interval, and by the direct method (DM), which is as wrong as the rankings of the log. N_eff is the effective sample size.

Policies: running (the one that made the log), uniform, best (always the content with the highest ranking), content:ID
(always that content, where it is a candidate), or a JSON file with a weight for each content.

Rewards of the service: actioned 1, clicked 0.6, opened 0.2. A decision without an outcome counts as 0 from when its
message was served, or from when it was made if nobody polls, as in learning; one that was not served yet is left out.

With --goal, what a decision earned of a goal of the catalog takes the place of its reward: what is learned may be another one.

A file has a row a decision with action, reward and propensity, and may list its candidates as a JSON array of ids, or
of objects with contentId, propensity and ranking. Without rankings there is no DR, no DM and no best. A row without a reward
counts as not served yet. NDJSON entries of GET /v1/decisions are read as they are.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --since 2026-03-01T00:00:00Z --json | jq .policies.best.dr',
    '<%= config.bin %> <%= command.id %> --policy running --policy content:welcome-back',
    '<%= config.bin %> <%= command.id %> --input bts.csv --map action=item_id --map reward=click --map propensity=propensity_score',
  ];
  static override flags = {
    input: Flags.string({
      summary: 'evaluate the log in this file, or standard input, instead of that of the service',
      helpValue: 'FILE|-',
    }),
    format: Flags.string({
      summary: 'format of the file; by its extension, otherwise NDJSON',
      options: ['ndjson', 'csv'],
      helpValue: 'ndjson|csv',
      dependsOn: ['input'],
    }),
    map: Flags.string({
      summary: `read a field (${LOG_FIELDS.join(', ')}) from a column of the file`,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'field=column',
      dependsOn: ['input'],
    }),
    candidates: Flags.integer({
      summary: 'number of candidates of each decision, if the file does not list them',
      min: 1,
      helpValue: 'N',
      dependsOn: ['input'],
    }),
    'reward-range': Flags.string({
      summary: 'smallest and largest possible reward in the file',
      helpValue: '0..1',
      dependsOn: ['input'],
    }),
    goal: Flags.string({
      summary: 'judge by what decisions earned of this goal, from 0 to 1, instead of by their reward',
      helpValue: 'ID',
      exclusive: ['input'],
    }),
    policy: Flags.string({
      summary: 'policy to evaluate (repeatable); running, uniform and best by default',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'running|uniform|best|content:ID|FILE',
    }),
    ...spanFlags('decisions made'),
  };

  protected override async run(context: Context<typeof DecisionsEvaluate>): Promise<void> {
    const { flags, out, signal, world } = context;
    const map = mapOf(flags.map ?? []);
    const range = rangeOf(flags['reward-range']);
    const names = flags.policy ?? [...NAMED.keys()];
    const policies = new Map(
      await Promise.all(names.map(async (name) => [name, await policyOf(name, world)] as const)),
    );
    const read = () => {
      const { input, format, candidates, since, until } = flags;
      if (input === undefined) return undefined;
      const onNotice = (text: string) => out.notice(text);
      return readLogFile({
        input,
        format: format as 'ndjson' | 'csv' | undefined,
        map,
        candidates,
        since,
        until,
        range,
        signal,
        world,
        onNotice,
      });
    };
    const fromService = async () => {
      const { client } = await context.connect();
      if (flags.goal !== undefined) await checkGoal(client, signal, flags.goal);
      return pages(client, signal, flags, {
        onProgress: (count) => out.notice(`${count.toLocaleString('en')} decisions read`),
        onRemoved: (before) => {
          removedBefore = before;
        },
      });
    };
    let removedBefore: string | undefined;
    const result = await evaluateLog(read() ?? (await fromService()), { policies, range });
    if (signal.aborted)
      throw new SvcError('interrupted', 'interrupted before the end of the log', {
        hint: (invocation) => invocation.rerunWith(),
      });
    if (removedBefore !== undefined)
      out.warn(
        `decisions from before ${removedBefore} were removed by the service: the estimates are of later ones`,
      );
    const failed = (flags.policy ?? []).filter((policy) => !result.policies[policy]);
    if (result.decisions > 0 && failed.length > 0)
      throw new SvcError('usage', `--policy ${failed.join(', ')} ${NOT_JUDGED}`, {
        hint: (invocation) =>
          `name a content that was a candidate: ${invocation.onSameService('decisions', 'list', '--fields', 'candidates')}`,
      });
    for (const text of warnings(result, names)) out.notice(text);
    out.result({ ...result, ...(removedBefore === undefined ? {} : { removedBefore }) }, () =>
      result.decisions === 0
        ? 'no decision in the log has an action'
        : out.table(
            ['POLICY', 'N_eff', 'IPS', 'SNIPS', 'DR', 'DM'].map((title) => ({ title, whole: true })),
            Object.entries(result.policies).map(([policy, judged]) => [
              label(policy),
              ...(judged
                ? [
                    judged.effective.toFixed(0),
                    ...[judged.ips, judged.snips, judged.dr].map(interval),
                    judged.dm ? short(judged.dm.mean) : '-',
                  ]
                : ['-', '-', '-', '-', '-']),
            ]),
          ),
    );
  }
}

/** What a reader must know before trusting the estimates. */
function* warnings({ decisions, pending, skipped, policies }: LogEvaluation, names: readonly string[]) {
  if (pending > 0) yield `${counted(pending)} not served yet and left out`;
  if (skipped > 0)
    yield `${counted(skipped)} left out: no action, or no propensity of the action among the candidates`;
  if (decisions > 0 && decisions < TRIAL)
    yield `${counted(decisions)} in the log that can be judged: all estimates are imprecise`;
  for (const [policy, judged] of Object.entries(policies)) {
    if (!judged) {
      if (decisions > 0 && names.includes(policy)) yield `${label(policy)} ${NOT_JUDGED}`;
      continue;
    }
    if (judged.decisions < decisions)
      yield `${label(policy)} has a candidate in ${judged.decisions} of ${decisions} decisions; it is judged on those`;
    if (judged.decisions < TRIAL) continue;
    if (judged.effective < MIN_EFFECTIVE)
      yield `too little is known of the ${label(policy)} policy: its effective sample size is ${judged.effective.toFixed(0)} decisions${needed(judged)}`;
    else if (judged.unsupported >= MIN_UNSUPPORTED)
      yield `the log hardly ever makes ${(100 * judged.unsupported).toFixed(0)}% of the choices of the ${label(policy)} policy: its intervals are wider by as much`;
  }
}

/** How long a log like this one must be. */
const needed = ({ decisions, effective }: Evaluation) =>
  effective > 0
    ? `, and ${MIN_EFFECTIVE} take about ${Number((decisions * (MIN_EFFECTIVE / effective)).toPrecision(2)).toLocaleString('en')} decisions like these`
    : '';

const counted = (count: number) => (count === 1 ? 'one decision is' : `${count} decisions are`);

const NOT_JUDGED = 'cannot be judged on this log: it has no candidate in it, or the log has no rankings';

const label = (policy: string): string =>
  policy === 'best'
    ? 'always best'
    : policy.startsWith('content:')
      ? `always ${policy.slice('content:'.length)}`
      : policy;

async function* pages(
  client: Client,
  signal: AbortSignal,
  {
    since,
    until,
    goal,
  }: { since?: string | undefined; until?: string | undefined; goal?: string | undefined },
  { onProgress, onRemoved }: { onProgress: (read: number) => void; onRemoved: (before: string) => void },
): AsyncGenerator<LogEntry[]> {
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const to = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
  let after: string | undefined;
  let read = 0;
  do {
    const { body } = await orUnsupportedFeature(
      'a decision log',
      client.call('listDecisions', { query: { after }, signal }),
    );
    const page = validate(ENDPOINTS.listDecisions.answer, body);
    if (!page.ok || (page.value.next ?? undefined) === (after ?? null))
      throw new SvcError('unavailable', 'the service returned an invalid page of the decision log', {
        hint: (invocation) => `check the base URL: ${invocation.onSameService('doctor')}`,
      });
    const { removedBefore } = body;
    if (removedBefore !== undefined && from < Date.parse(removedBefore)) onRemoved(removedBefore);
    const before = read;
    read += body.decisions.length;
    if (Math.floor(read / 10_000) > Math.floor(before / 10_000)) onProgress(read);
    yield body.decisions
      .filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to)
      .map((entry) => (goal === undefined ? entry : { ...entry, reward: earnedOf(entry, goal) }));
    after = body.next ?? undefined;
  } while (after !== undefined);
}

/** What a decision earned of a goal; null while it does not count. */
const earnedOf = ({ reward, goals }: Pick<LoggedEntry, 'reward' | 'goals'>, goal: string) =>
  reward === null ? null : (goals?.[goal] ?? 0);

/** Fails unless the catalog of the service has a goal: of another one, every decision would have earned 0. */
async function checkGoal(client: Client, signal: AbortSignal, goal: string): Promise<void> {
  const { body } = await orUnsupportedFeature('goals', client.call('getModel', { signal }));
  const known = (body.goals ?? []).map(({ goalId }) => goalId);
  if (known.includes(goal)) return;
  throw new SvcError('usage', `--goal ${goal} is not a goal of the catalog`, {
    hint: (invocation) =>
      known.length > 0
        ? `the goals are: ${known.join(', ')}`
        : `the catalog has no goals: ${invocation.onSameService('catalog', 'get')}`,
  });
}

const interval = (estimate: Estimate | null) =>
  estimate ? `${short(estimate.mean)} [${short(estimate.low)}, ${short(estimate.high)}]` : '-';

/** Four decimal places; negative zero without its sign. */
const short = (value: number) => value.toFixed(4).replace(/^-(0\.0*)$/, '$1');
