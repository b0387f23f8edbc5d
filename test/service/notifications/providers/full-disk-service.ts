import { execFileSync } from 'node:child_process';
import { outboxChannel } from '../../../../src/service/notifications/providers/outbox.ts';
import { sampleMessage } from './message.ts';

/**
 * Sends notifications to an outbox with space for one line and part of the second one, and prints the outcomes. Runs as
 * a process of its own, whose files are limited in size: a write beyond the limit is short, as on a full disk.
 */
const outbox = outboxChannel(JSON.parse(process.argv[2]!), () => Date.parse('2026-03-01T10:00:00Z'));
const send = async (id: number, earlierTries = 0) => {
  const base = sampleMessage({ notificationId: `ntf_${id}`, earlierTries });
  const message = { ...base, masked: { ...base.masked, text: 'x'.repeat(400) } };
  return (await outbox.send(message, AbortSignal.timeout(10_000))).outcome;
};
const limitFiles = (bytes: string) =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);

limitFiles('1000');
const full = await Promise.all([1, 2, 3, 4].map((id) => send(id)));
full.push(await send(2, 1));
limitFiles('unlimited');
console.log(JSON.stringify(full));
