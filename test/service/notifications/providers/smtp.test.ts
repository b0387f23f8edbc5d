import { afterEach, describe, expect, it } from 'vitest';
import { smtpChannel } from '../../../../src/service/notifications/providers/smtp.ts';
import { type MailHabits, type MailServer, startMailServer } from '../../../support/peers/mail-server.ts';
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
  it('sends the plain text to the address of the user', async () => {
    expect(await sendTo({})).toEqual({ outcome: 'accepted' });
    const [mail] = server!.messages;
    expect(mail).toMatch(/^From: Shop <shop@example.org>$/m);
    expect(mail).toMatch(/^To: ada@example.com$/m);
    expect(mail).toMatch(/^Subject: Your order$/m);
    expect(mail).toMatch(/^Message-ID: <ntf_1@example.org>$/m);
    expect(mail).toContain('Hello Ada Lovelace,\r\nyour order A-1 is here.');
  });

  it('uses TLS with smtps, and requires a trusted certificate', async () => {
    expect(await sendTo({ secure: true })).toEqual({
      outcome: 'retryable',
      error: expect.stringContaining('self-signed certificate'),
    });
    const url = `${server!.url}?tls.rejectUnauthorized=false`;
    const channel = smtpChannel({ url, from: 'shop@example.org', timeoutMs: 2000 });
    expect(await channel.send(sampleMessage(), signal)).toEqual({ outcome: 'accepted' });
    expect(server!.messages).toEqual([expect.stringContaining('Hello Ada Lovelace')]);
  });

  it('prevents header injection by the value of a variable', async () => {
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
        outcome: 'rejected',
      });
    await channel.close();
    expect(server!.messages.length).toBe(1);
  });

  it('is refused without an address', async () => {
    expect(await sendTo({}, sampleMessage({ to: { phone: '1' } }))).toMatchObject({ outcome: 'rejected' });
    expect(server!.messages).toEqual([]);
  });

  it.each([
    ['GREETING', '421 busy', 'retryable'],
    ['GREETING', 'drop', 'retryable'],
    ['EHLO', 'drop', 'retryable'],
    ['MAIL', '450 later', 'retryable'],
    ['MAIL', 'drop', 'retryable'],
    ['RCPT', '550 no such user', 'rejected'],
    ['RCPT', '451 greylisted', 'retryable'],
    ['RCPT', 'drop', 'retryable'],
    ['DATA', 'drop', 'retryable'],
    ['END', '554 spam', 'rejected'],
    ['END', '452 full', 'retryable'],
    ['END', 'drop', 'ambiguous'],
  ] as const)('after %s answered by %s: %s', async (command, answer, outcome) => {
    expect(await sendTo({ answers: { [command]: answer } })).toMatchObject({ outcome });
  });

  it('omits the reply of the server, which may quote the address', async () => {
    for (const command of ['GREETING', 'MAIL', 'RCPT', 'DATA', 'END']) {
      const result = await sendTo({ answers: { [command]: 'ada@example.com is here' } });
      expect(result).not.toEqual({ outcome: 'accepted' });
      expect(JSON.stringify(result), command).not.toContain('ada@');
      await server?.close();
    }
  });

  it.each([
    // nodemailer queues every empty line and processes one per turn.
    ['empty lines', '\r\n'.repeat(20_000)],
    ['empty lines over TLS', '\r\n'.repeat(20_000), true],
    ['replies', '250 ok\r\n'.repeat(5000)],
    ['a line', 'x'.repeat(40_000)],
    ['a reply of many lines', '250-ok\r\n'.repeat(5000)],
  ])('disconnects a server that sends endless %s', async (_, flood, secure = false) => {
    let sent = 0;
    server = await startMailServer({
      secure,
      answers: { MAIL: '' },
      onCommand: (command, socket) => {
        if (command !== 'MAIL') return;
        const more = () => {
          while (!socket.destroyed) {
            sent += flood.length;
            if (!socket.write(flood)) return void socket.once('drain', more);
          }
        };
        more();
      },
    });
    const gone = server.disconnected();
    const channel = smtpChannel({
      url: `${server.url}?tls.rejectUnauthorized=false`,
      from: 'shop@example.org',
      timeoutMs: 60_000,
    });
    await channel.send(sampleMessage(), signal);
    await gone;
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    // What was received of it keeps the process busy no longer.
    const busy = async () => {
      const before = performance.eventLoopUtilization();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return performance.eventLoopUtilization(before).utilization;
    };
    await expect.poll(busy, { timeout: 10_000 }).toBeLessThan(0.5);
  });

  it.each(['the deadline', 'the signal'])('disconnects a server that answers slowly, at %s', async (end) => {
    const stop = new AbortController();
    let dripping: NodeJS.Timeout | undefined;
    server = await startMailServer({
      answers: { MAIL: '' },
      onCommand: (command, socket) => {
        if (command !== 'MAIL') return;
        dripping = setInterval(() => socket.write('250-wait\r\n'), 20);
        if (end === 'the signal') stop.abort();
      },
    });
    const gone = server.disconnected();
    const deadlineMs = end === 'the deadline' ? 300 : 60_000;
    const options = { url: server.url, from: 'shop@example.org', timeoutMs: 60_000, deadlineMs };
    const { outcome } = await smtpChannel(options).send(sampleMessage(), stop.signal);
    expect(outcome).not.toBe('accepted');
    await gone;
    clearInterval(dripping);
  });

  it('asks for a retry if the server is unreachable', async () => {
    const gone = await startMailServer();
    await gone.close();
    const channel = smtpChannel({ url: gone.url, from: 'shop@example.org', timeoutMs: 2000 });
    expect(await channel.send(sampleMessage(), signal)).toMatchObject({ outcome: 'retryable' });
  });
});
