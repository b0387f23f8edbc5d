import { type Context, SvcCommand } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import type { Client } from '../../client/client.ts';
import { ENDPOINTS } from '../../contract/endpoints.ts';
import { validate } from '../../contract/validation.ts';
import type { Estimate } from '../../features/evaluation/estimators.ts';
import { evaluateLog, type LogEntry } from '../../features/evaluation/evaluate-log.ts';

/** Effective sample size below which an estimate deserves a warning. */
const FEW = 100;

/** With fewer decisions than this, estimates are not reliable. */
const TRIAL = 10;

const LABELS = { running: 'running', uniform: 'uniform', best: 'always best' } as const;

export default class DecisionsEvaluate extends SvcCommand {
  static override summary = 'Evaluate decision policies on the decision log (off-policy)';
  static override description =
    `Estimates the mean reward of three policies from the decision log: the running policy, a uniform choice, and always
the content with the highest ranking. Prints each estimate with its 95% confidence interval, by inverse propensity
scoring (IPS), self-normalised IPS (SNIPS) and the doubly robust estimator (DR). Rewards: actioned 1, clicked 0.6,
opened 0.2. A decision without an outcome counts as 0 from when its message was served, or from when it was made if
nobody polls, as in learning; one that was not served yet is left out. N_eff is the effective sample size.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --since 2026-03-01T00:00:00Z --json | jq .policies.best.dr',
  ];
  static override flags = {
    since: Flags.string({
      summary: 'only decisions at or after this time',
      helpValue: 'TIME',
      parse: parseInstant,
    }),
    until: Flags.string({
      summary: 'only decisions before this time',
      helpValue: 'TIME',
      parse: parseInstant,
    }),
  };

  protected override async run(context: Context<typeof DecisionsEvaluate>): Promise<void> {
    const { flags, out, signal } = context;
    const { client } = await context.connect();
    const result = await evaluateLog(
      pages(client, signal, flags, (read) => out.notice(`${read.toLocaleString('en')} decisions read`)),
    );
    if (result.pending > 0) out.notice(`${result.pending} decisions were not served yet and are left out`);
    for (const [policy, judged] of Object.entries(result.policies))
      if (judged && judged.decisions >= TRIAL && judged.effective < FEW)
        out.notice(
          `the log is worth only ${judged.effective.toFixed(0)} decisions of the ${LABELS[policy as keyof typeof LABELS]} policy: its estimates are rough`,
        );
    out.result(result, () =>
      result.decisions === 0
        ? 'no decision in the log has an action'
        : out.table(
            ['POLICY', 'N_eff', 'IPS', 'SNIPS', 'DR'].map((title) => ({ title, whole: true })),
            Object.entries(result.policies).map(([policy, judged]) => [
              LABELS[policy as keyof typeof LABELS],
              ...(judged
                ? [judged.effective.toFixed(0), ...[judged.ips, judged.snips, judged.dr].map(interval)]
                : []),
            ]),
          ),
    );
  }
}

async function* pages(
  client: Client,
  signal: AbortSignal,
  { since, until }: { since?: string | undefined; until?: string | undefined },
  onProgress: (read: number) => void,
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
        hint: (invocation) => `check the base URL: ${invocation.on('doctor')}`,
      });
    const before = read;
    read += body.decisions.length;
    if (Math.floor(read / 10_000) > Math.floor(before / 10_000)) onProgress(read);
    yield body.decisions.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < to);
    after = body.next ?? undefined;
  } while (after !== undefined);
}

const interval = ({ mean, low, high }: Estimate) => `${short(mean)} [${short(low)}, ${short(high)}]`;

/** Four decimal places; negative zero without its sign. */
const short = (value: number) => value.toFixed(4).replace(/^-(0\.0*)$/, '$1');

async function parseInstant(text: string): Promise<string> {
  if (Number.isNaN(Date.parse(text)))
    throw new SvcError('usage', `${text} is not a time`, {
      hint: 'write a time such as 2026-03-01T00:00:00Z',
    });
  return text;
}
