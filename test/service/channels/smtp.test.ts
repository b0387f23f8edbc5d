import { afterEach, describe, expect, it } from 'vitest';
import { smtpChannel } from '../../../src/service/channels/smtp.ts';
import { type MailHabits, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { sampleMessage } from './message.ts';

const { signal } = new AbortController();
let server: MailServer | undefined;
afterEach(() => server?.close());

async function sendTo(habits: MailHabits, message = sampleMessage()) {
  server = await startMailServer(habits);
  const channel = smtpChannel({ url: server.url, from: 'Shop <shop@example.org>', timeoutMs: 2000 });
  const result = await channel.send(message, signal);
  await channel.close();
  return result;
}

describe('e-mail', () => {
  it('sends the text in the clear to the address of the user', async () => {
    expect(await sendTo({})).toEqual({ outcome: 'taken' });
    const [mail] = server!.messages;
    expect(mail).toMatch(/^From: Shop <shop@example.org>$/m);
    expect(mail).toMatch(/^To: ada@example.com$/m);
    expect(mail).toMatch(/^Subject: Your order$/m);
    expect(mail).toMatch(/^Message-ID: <ntf_1@example.org>$/m);
    expect(mail).toContain('Hello Ada Lovelace,\r\nyour order A-1 is here.');
  });

  it('lets no value of a variable write a header', async () => {
    await sendTo(
      {},
      sampleMessage({ subject: 'Hi\r\nBcc: eve@example.net', to: { email: 'ada@example.com' } }),
    );
    expect(server!.messages[0]).not.toMatch(/^Bcc:/m);
    const channel = smtpChannel({ url: server!.url, from: 'shop@example.org', timeoutMs: 2000 });
    for (const email of [
      'a@x.example, eve@example.net',
      'a@x.example\r\nRCPT TO:<eve@example.net>',
      'a@b@c',
      '@',
    ])
      expect(await channel.send(sampleMessage({ to: { email } }), signal)).toMatchObject({
        outcome: 'refused',
      });
    await channel.close();
    expect(server!.messages.length).toBe(1);
  });

  it('has nowhere to send it without an address', async () => {
    expect(await sendTo({}, sampleMessage({ to: { phone: '1' } }))).toMatchObject({ outcome: 'refused' });
    expect(server!.messages).toEqual([]);
  });

  it.each([
    ['GREETING', '421 busy', 'later'],
    ['GREETING', 'drop', 'later'],
    ['EHLO', 'drop', 'later'],
    ['MAIL', '450 later', 'later'],
    ['RCPT', '550 no such user', 'refused'],
    ['RCPT', '451 greylisted', 'later'],
    ['END', '554 spam', 'refused'],
    ['END', '452 full', 'later'],
    ['END', 'drop', 'unknown'],
  ] as const)('after %s answered by %s: %s', async (command, answer, outcome) => {
    expect(await sendTo({ answers: { [command]: answer } })).toMatchObject({ outcome });
  });

  it('waits for a server that is not there', async () => {
    const gone = await startMailServer();
    await gone.close();
    const channel = smtpChannel({ url: gone.url, from: 'shop@example.org', timeoutMs: 2000 });
    expect(await channel.send(sampleMessage(), signal)).toMatchObject({ outcome: 'later' });
  });
});
