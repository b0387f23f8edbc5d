import type { VNode } from 'preact';
import { offers, svcCommand } from '../../data/about.ts';
import { Command } from '../../parts/command.tsx';
import { Address, Text } from '../../parts/text.tsx';
import { Enable } from './enable.tsx';
import type { Sending } from './progress.tsx';
import type { Webhook } from './webhook-words.ts';

/** Disabled subscriptions of which is said how they are enabled; the filter shows the others. */
const MOST = 3;

/** Why subscriptions are disabled, and how each gets its deliveries again, with those that it missed. */
export function Disabled({
  webhooks,
  sent,
}: {
  webhooks: readonly Webhook[];
  sent: (sending: Sending) => void;
}): VNode {
  return (
    <>
      {webhooks
        .filter(({ status }) => status === 'disabled')
        .slice(0, MOST)
        .map((webhook) => (
          <div class="reasons" key={webhook.id}>
            <p class="note">
              <Address of={webhook.url} /> gets nothing: <Text of={webhook.disabledReason ?? 'disabled'} />.
              Once it is well, this enables it and sends what it missed:
            </p>
            {offers('updateWebhook') ? (
              <div class="actions">
                <Enable webhook={webhook} sent={sent} />
              </div>
            ) : (
              <Command
                line={svcCommand(
                  'webhooks',
                  'update',
                  webhook.id,
                  '--status',
                  'active',
                  '--from',
                  'disabled',
                )}
                label="enable it"
              />
            )}
          </div>
        ))}
    </>
  );
}
