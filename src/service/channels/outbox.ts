import { open } from 'node:fs/promises';
import type { ChannelAdapter, HandOver } from './channel.ts';

/** One line of the outbox file. */
export interface OutboxLine {
  readonly at: string;
  readonly notificationId: string;
  readonly channel: string;
  readonly priority: string;
  readonly templateId: string;
  readonly hashId: string;
  readonly to: Record<string, string>;
  readonly subject?: string;
  readonly text: string;
}

/**
 * The channel where none is configured: a line of JSON per notification in a file of mode 0600, personal fields
 * masked. A line that is there already is not written again. `now` is unix ms.
 */
export function outboxChannel(path: string, now: () => number): ChannelAdapter {
  return {
    name: 'outbox',
    dropsRepeats: true,
    async send(message): Promise<HandOver> {
      const line: OutboxLine = {
        at: new Date(now()).toISOString(),
        notificationId: message.notificationId,
        channel: message.channel,
        priority: message.priority,
        templateId: message.templateId,
        hashId: message.hashId,
        to: { ...message.shown.to },
        ...(message.shown.subject === undefined ? {} : { subject: message.shown.subject }),
        text: message.shown.text,
      };
      try {
        const file = await open(path, 'a+', 0o600);
        try {
          if (message.earlierTries > 0 && (await holds(file, message.notificationId)))
            return { outcome: 'taken' };
          await file.appendFile(`${JSON.stringify(line)}\n`);
          await file.datasync();
        } finally {
          await file.close();
        }
        return { outcome: 'taken' };
      } catch (error) {
        return { outcome: 'later', error: (error as Error).message };
      }
    },
    async close() {},
  };
}

async function holds(file: Awaited<ReturnType<typeof open>>, notificationId: string): Promise<boolean> {
  const mark = `"notificationId":${JSON.stringify(notificationId)}`;
  for await (const line of file.readLines({ start: 0, autoClose: false }))
    if (line.includes(mark)) return true;
  return false;
}
