import type { VNode } from 'preact';
import { svcCommand } from '../../data/about.ts';
import { Command } from '../../parts/command.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Box } from '../../parts/view.tsx';
import type { Overview } from './overview.ts';

interface Step {
  readonly title: string;
  readonly why: string;
  readonly command: string;
  readonly done: boolean;
}

/** What to do first in a new workspace; each step is ticked off once its data is there. Nothing once all are. */
export function FirstSteps({ overview }: { overview: Overview }): VNode | null {
  const { events, decisions, has } = overview;
  const steps: readonly Step[] = [
    {
      title: 'Load events',
      why: 'What your users did, from which decisions learn:',
      command: svcCommand('events', 'import', 'events.csv'),
      done: events.stored > 0,
    },
    {
      title: 'Load users',
      why: 'Whom notifications reach, and in which language. Here they are known by a hash alone.',
      command: svcCommand('users', 'import', 'users.csv'),
      done: has.users,
    },
    {
      title: 'Ask for a decision',
      why: 'The next best action for a user, as your app asks for it:',
      command: svcCommand('decide', '--user-id', 'u_1', '--channel', 'in-app'),
      done: decisions.byHour.some((n) => n > 0) || Object.values(decisions.counted).some((n) => n > 0),
    },
    {
      title: 'Receive webhooks',
      why: 'What came of it, signed and checked on your machine:',
      command: svcCommand('webhooks', 'listen'),
      done: has.webhooks,
    },
  ];
  const left = steps.filter(({ done }) => !done).length;
  // A workspace that works has no need of the way in, even if it leaves a step out.
  if (left === 0 || (events.stored > 0 && left < 2)) return null;
  return (
    <Box
      title={left === steps.length ? 'This workspace is empty: four steps fill it' : 'First steps'}
      note={`${steps.length - left} of ${steps.length} done; each is ticked off as soon as its data is here`}
    >
      <ol class="steps">
        {steps.map(({ title, why, command, done }, i) => (
          <li class={done ? 'done' : undefined}>
            <span class="number" aria-hidden="true">
              {done ? <Icon name="check" /> : i + 1}
            </span>
            <div>
              <h3>
                {title}
                {done && <span class="visually-hidden"> (done)</span>}
              </h3>
              {!done && (
                <>
                  <p class="note">{why}</p>
                  <Command line={command} label={title.toLowerCase()} />
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Box>
  );
}
