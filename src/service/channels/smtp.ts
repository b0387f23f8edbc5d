import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { wordsOf } from '../egress/post.ts';
import type { ChannelAdapter, HandOver } from './channel.ts';

export interface SmtpOptions {
  /** `smtp://` or `smtps://` with user information where the server wants it. */
  readonly url: string;
  readonly from: string;
  /** Milliseconds the server has for each step. */
  readonly timeoutMs: number;
  /** Milliseconds for a whole hand-over, however the server spreads its answers. */
  readonly deadlineMs?: number;
}

/** Below the dispatcher's own patience, so that the connection has ended when that runs out. */
const DEADLINE_MS = 40_000;
/** Most bytes that a server may send in one hand-over; replies take a few hundred. */
const SERVER_BYTES = 256 * 1024;
/** Most bytes of one reply. */
const REPLY_BYTES = 64 * 1024;
/** How often the bytes received are looked at. */
const CHECK_MS = 50;

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  /** What the server said, where it said anything. */
  readonly response?: string;
}

/** One address and nothing that could read as two. */
const ONE_ADDRESS = /^[^\s@,;<>"()]+@[^\s@,;<>"()]+$/;

/**
 * email, over SMTP (RFC 5321), a connection for each. A mail server does not drop repeats, so what ended in doubt
 * (connection lost after the text was sent) is never sent again. The Message-ID is the notification's, to tell copies
 * apart.
 */
export function smtpChannel(options: SmtpOptions): ChannelAdapter {
  const domain = options.from.replace(/^.*@/, '').replace(/>.*$/, '') || 'localhost';
  return {
    name: 'smtp',
    dropsRepeats: false,
    async send(message, signal): Promise<HandOver> {
      if (message.to.email === undefined)
        return { outcome: 'refused', error: 'the user has no e-mail address (trait "email")' };
      if (!ONE_ADDRESS.test(message.to.email))
        return { outcome: 'refused', error: 'the e-mail address is not valid' };
      let begun = false;
      const text = new Readable({
        read() {
          begun = true;
          this.push(message.text);
          this.push(null);
        },
      });
      const line = boundedLine(options, signal);
      try {
        const transport = await openTransport(options, line.open);
        await transport.sendMail({
          from: options.from,
          to: { name: '', address: message.to.email },
          subject: message.subject ?? message.templateId,
          text,
          messageId: `<${message.notificationId}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { outcome: 'taken' };
      } catch (error) {
        return verdict((line.cut ?? error) as SmtpError, begun);
      } finally {
        line.end();
      }
    },
    async close() {},
  };
}

type GetSocket = (
  server: { host?: string; port?: number; secure?: boolean },
  callback: (error: Error | null, made?: { connection: Socket }) => void,
) => void;

/**
 * The connection of one hand-over. It ends with the hand-over, at its deadline, when `signal` fires, and when the server
 * sends more than any server needs: nodemailer bounds one reply, but not how many there are nor how long they take.
 */
function boundedLine({ timeoutMs, deadlineMs = DEADLINE_MS }: SmtpOptions, signal: AbortSignal) {
  let socket: Socket | undefined;
  const cutOff = (reason: string) => {
    line.cut ??= new Error(reason);
    socket?.destroy(line.cut);
  };
  const stop = () => cutOff('the hand-over was given up');
  const deadline = setTimeout(() => cutOff('the mail server did not finish in time'), deadlineMs);
  const watch = setInterval(() => {
    if (socket && socket.bytesRead > SERVER_BYTES) cutOff('the mail server sent more than 256 KiB');
  }, CHECK_MS);
  signal.addEventListener('abort', stop, { once: true });
  const open: GetSocket = ({ host = 'localhost', port, secure }, callback) => {
    if (signal.aborted) stop();
    if (line.cut) return callback(line.cut);
    const made = connect({ host, port: port ?? (secure ? 465 : 587), timeout: timeoutMs });
    socket = made;
    const failed = (error: Error) => callback(error);
    const late = () => made.destroy(new Error('Connection timeout'));
    made
      .on('error', () => {})
      .once('error', failed)
      .once('timeout', late);
    made.once('connect', () => {
      made.setTimeout(0).off('error', failed).off('timeout', late);
      callback(null, { connection: made });
    });
  };
  const line: { open: GetSocket; cut: Error | undefined; end(): void } = {
    open,
    cut: undefined,
    end() {
      clearTimeout(deadline);
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      // After a message that was taken, QUIT and its answer would be all that is left.
      socket?.destroySoon();
    },
  };
  return line;
}

/** Loaded with the first e-mail: most processes send none. */
async function openTransport({ url, timeoutMs }: SmtpOptions, getSocket: GetSocket) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    getSocket,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxResponseSize: REPLY_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** `begun`: the server may have begun to receive the text; a connection lost after that tells nothing. */
function verdict(error: SmtpError, begun: boolean): HandOver {
  const { code, responseCode, response } = error;
  // The account is the operator's to correct, not the user's address.
  if (code === 'EAUTH') return { outcome: 'later', error: 'the mail server refused the account' };
  if (responseCode !== undefined && responseCode >= 400)
    return {
      outcome: responseCode >= 500 ? 'refused' : 'later',
      error: `the mail server answered ${responseCode}`,
    };
  // Nodemailer's words would quote the server, which may quote the address.
  const words = response === undefined ? wordsOf(error) : 'the mail server answered what is not SMTP';
  if (code === 'EENVELOPE' && response === undefined)
    return { outcome: 'refused', error: 'the e-mail address is not valid' };
  return { outcome: begun ? 'unknown' : 'later', error: words };
}
