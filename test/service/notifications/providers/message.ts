import type { ChannelMessage } from '../../../../src/service/notifications/providers/channel.ts';

/** A message to test a channel with. */
export function sampleMessage(change: Partial<ChannelMessage> = {}): ChannelMessage {
  return {
    workspaceId: 'ws_1',
    notificationId: 'ntf_1',
    hashId: 'a'.repeat(64),
    templateId: 'order_update',
    channel: 'email',
    priority: 'transactional',
    address: 'ada@example.com',
    idempotencyKey: 'ntf_1',
    to: { phone: '+441234567890', email: 'ada@example.com' },
    subject: 'Your order',
    text: 'Hello Ada Lovelace,\nyour order A-1 is here.',
    masked: { to: { phone: '•••90' }, subject: 'Your order', text: 'Hello A•••,\nyour order A-1 is here.' },
    earlierTries: 0,
    trace: null,
    ...change,
  };
}
