import type { VNode } from 'preact';
import { svcCommand } from '../../data/about.ts';
import { Command } from '../../parts/command.tsx';
import { Cut, Text } from '../../parts/text.tsx';
import type { Webhook } from './webhook-words.ts';

/** Disabled subscriptions of which is said how they are enabled; the filter shows the others. */
const MOST = 3;

/** Why subscriptions are disabled, and how each gets its deliveries again, with those that it missed. */
export function Disabled({ webhooks }: { webhooks: readonly Webhook[] }): VNode {
  return (
    <>
      {webhooks
        .filter(({ status }) => status === 'disabled')
        .slice(0, MOST)
        .map(({ id, url, disabledReason }) => (
          <div class="reasons" key={id}>
            <p class="note">
              <Cut of={url} /> is disabled{disabledReason !== undefined && ': '}
              <Text of={disabledReason ?? ''} />. Once it is well, this enables it and sends what it missed:
            </p>
            <Command
              line={svcCommand('webhooks', 'update', id, '--status', 'active', '--from', 'disabled')}
              label="enable it"
            />
          </div>
        ))}
    </>
  );
}
