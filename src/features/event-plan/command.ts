import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { orUnsupportedFeature } from '../../cli/errors/unsupported-feature.ts';
import type { GlobalFlags } from '../../cli/flags/global-flags.ts';
import { escapeJson } from '../../cli/terminal/sanitize.ts';
import type { EventPlan } from '../../contract/event-plan.ts';
import { planIn } from '../catalog/event-plan-file.ts';
import type { MappingFlags } from '../import/option-table/flags.ts';
import { toImportError } from '../import/report/errors.ts';
import { recoveryCommands } from '../import/report/recovery-commands.ts';
import { PlanBuilder } from './plan-builder.ts';
import { addFromFiles, addFromService } from './read-events.ts';
import { showStatus } from './show-status.ts';
import { typesOfPlan } from './typescript.ts';

type PlanContext = Pick<Context, 'argv' | 'world' | 'out' | 'signal' | 'connect' | 'invocation'> & {
  readonly flags: MappingFlags &
    GlobalFlags & {
      readonly 'from-service': boolean;
      readonly limit: number;
      readonly values: number;
      readonly types?: string | undefined;
      readonly status: boolean;
      readonly days: number;
    };
};

/** Prints a plan, its types, or what was counted against the one in force. */
export async function runEventPlan(context: PlanContext, typed: readonly string[]): Promise<void> {
  const { flags, argv: names, out, signal, connect } = context;
  const isFromService = flags['from-service'];
  if ((isFromService || flags.status) === names.length > 0)
    throw new SvcError('usage', 'name files, or give --from-service or --status', {
      hint: (invocation) => invocation.onSameService('events', 'plan', '--from-service'),
    });
  if (flags.status) {
    if (flags.types !== undefined)
      throw new SvcError('usage', '--status has no --types', { hint: 'leave one out' });
    const { client } = await connect();
    const { body } = await orUnsupportedFeature(
      'what was counted against a plan',
      client.call('getEventPlan', { query: { days: String(flags.days) }, signal }),
    );
    return out.result(body ?? {}, () => showStatus(body, out));
  }
  const section = await sectionOf(context).catch((error: unknown) => {
    throw toImportError(error, recoveryCommands('events plan', typed, names), flags.debug);
  });
  if (flags.types !== undefined) {
    const text = typesOfPlan(section);
    return out.json ? out.result({ types: text }, () => '') : out.raw(escapeJson(text));
  }
  if (out.json) out.result({ events: section }, () => '');
  else out.raw(`${escapeJson(JSON.stringify({ events: section }, null, 2))}\n`);
}

/** The plan that a file is, or that is made of events. */
async function sectionOf(context: PlanContext): Promise<EventPlan> {
  const { flags, argv: names, out, world, invocation } = context;
  const given = names.length === 1 && names[0] !== '-' ? await planIn(names[0]!, world) : undefined;
  if (given) return given;
  const builder = new PlanBuilder(flags.values);
  let rejected = 0;
  let isPart = false;
  if (flags['from-service']) isPart = await addFromService(builder, flags.limit, context);
  else rejected = await addFromFiles(builder, names, flags, context);
  const { count, leftOut } = builder;
  if (count === 0)
    throw new SvcError(
      'usage',
      rejected > 0 ? `all ${rejected} records were rejected` : 'there are no events',
      {
        hint: flags['from-service']
          ? invocation.onSameService('events', 'tail')
          : 'find the flags that read them: svc events inspect FILE',
      },
    );
  if (flags['from-service'])
    out.notice(
      isPart
        ? `the plan is made of the newest ${counted(count)}; a larger --limit looks further back`
        : `the plan is made of ${counted(count)}, all that the service has`,
    );
  if (rejected > 0)
    out.warn(
      `${rejected} of ${count + rejected} records were rejected and are not in the plan; svc events inspect says why`,
    );
  if (leftOut > 0)
    out.warn(
      `${leftOut} of ${count} events have names or properties beyond the limits of a plan, which are not in it`,
    );
  return builder.section();
}

const counted = (events: number) => `${events.toLocaleString('en')} ${events === 1 ? 'event' : 'events'}`;
