import { connect, type Socket } from 'node:net';
import { errorText } from '../../../kit/error-text.ts';
import type { ChannelAdapter, SendResult } from './channel.ts';
import { unsubscribeHeaders } from './unsubscribe.ts';

export interface SmtpOptions {
  /** `smtp://` or `smtps://`, with user information if the server requires it. */
  readonly url: string;
  readonly from: string;
  /** Time limit for each step, in ms. */
  readonly timeoutMs: number;
  /** Time limit for a whole message, in ms. */
  readonly deadlineMs?: number;
}

/** Below the dispatcher's timeout, so that the connection is closed by then. */
const DEADLINE_MS = 40_000;
/** Maximum bytes that a server may send per message; replies take a few hundred. */
const MAX_SERVER_BYTES = 256 * 1024;
/** Maximum bytes of one reply. */
const MAX_REPLY_BYTES = 64 * 1024;
/** Interval at which the bytes received are checked. */
const CHECK_MS = 50;

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  /** The reply of the server, if there was one. */
  readonly response?: string;
}

/** Exactly one address. */
const ONE_ADDRESS = /^[^\s@,;<>"()]+@[^\s@,;<>"()]+$/;

/**
 * Sends email messages over SMTP (RFC 5321), one connection per message. A mail server does not detect duplicates, so a
 * message with an ambiguous outcome (connection lost after the text was sent) is not retried. The Message-ID contains
 * the identifier of the notification.
 */
export function smtpChannel(options: SmtpOptions): ChannelAdapter {
  const domain = options.from.replace(/^.*@/, '').replace(/>.*$/, '') || 'localhost';
  return {
    name: 'smtp',
    deduplicates: false,
    async send(message, signal): Promise<SendResult> {
      if (message.to.email === undefined)
        return { outcome: 'rejected', error: 'the user has no e-mail address (trait "email")' };
      if (!ONE_ADDRESS.test(message.to.email))
        return { outcome: 'rejected', error: 'the e-mail address is not valid' };
      let textStarted = false;
      const connection = boundedConnection(options, signal);
      try {
        const transport = await openTransport(options, connection.open, () => {
          textStarted = true;
        });
        await transport.sendMail({
          from: options.from,
          to: { name: '', address: message.to.email },
          subject: message.subject ?? message.templateId,
          text: message.text,
          ...(message.html === undefined ? {} : { html: message.html }),
          messageId: `<${message.notificationId}@${domain}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(message.unsubscribeUrl === undefined ? {} : unsubscribeHeaders(message.unsubscribeUrl)),
          },
        });
        return { outcome: 'accepted' };
      } catch (error) {
        return resultOf((connection.cutOff ?? error) as SmtpError, textStarted);
      } finally {
        connection.end();
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
 * The connection for one message. It closes after the message, at the deadline, when `signal` fires, and when the server
 * sends too much: nodemailer limits the size of one reply, but not the number of replies or their duration.
 */
function boundedConnection({ timeoutMs, deadlineMs = DEADLINE_MS }: SmtpOptions, signal: AbortSignal) {
  let socket: Socket | undefined;
  const cutOff = (reason: string) => {
    connection.cutOff ??= new Error(reason);
    socket?.destroy(connection.cutOff);
  };
  const stop = () => cutOff('sending was cancelled');
  const deadline = setTimeout(() => cutOff('the mail server did not finish in time'), deadlineMs);
  const watch = setInterval(() => {
    if (socket && socket.bytesRead > MAX_SERVER_BYTES) cutOff('the mail server sent more than 256 KiB');
  }, CHECK_MS);
  signal.addEventListener('abort', stop, { once: true });
  const open: GetSocket = ({ host = 'localhost', port, secure }, callback) => {
    if (signal.aborted) stop();
    if (connection.cutOff) return callback(connection.cutOff);
    const made = connect({ host, port: port ?? (secure ? 465 : 587), timeout: timeoutMs });
    socket = made;
    const onError = (error: Error) => callback(error);
    const onTimeout = () => made.destroy(new Error('Connection timeout'));
    made
      .on('error', () => {})
      .once('error', onError)
      .once('timeout', onTimeout);
    made.once('connect', () => {
      made.setTimeout(0).off('error', onError).off('timeout', onTimeout);
      callback(null, { connection: made });
    });
  };
  const connection: { open: GetSocket; cutOff: Error | undefined; end(): void } = {
    open,
    cutOff: undefined,
    end() {
      clearTimeout(deadline);
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      // After an accepted message only QUIT and its reply would follow.
      socket?.destroySoon();
    },
  };
  return connection;
}

/** What a connection of nodemailer has for itself. */
interface Responses {
  _destroyed: boolean;
  _responseQueue: unknown[];
  _processResponse(): unknown;
}

let mailer: Promise<typeof import('nodemailer')> | undefined;

/**
 * Loads nodemailer with the first e-mail: most processes send none. It processes one empty line of a server per turn of the
 * event loop, also once the connection is closed: millions of them, which come within CHECK_MS, kept the process busy for
 * hours. What is left at the end of a connection is dropped.
 */
function loadMailer(): Promise<typeof import('nodemailer')> {
  mailer ??= Promise.all([import('nodemailer'), import('nodemailer/lib/smtp-connection')]).then(
    ([loaded, { default: connection }]) => {
      const responses = connection.prototype as object as Responses;
      const processResponse = responses._processResponse;
      responses._processResponse = function () {
        if (this._destroyed) this._responseQueue = [];
        return processResponse.call(this);
      };
      return loaded;
    },
  );
  return mailer;
}

/** `onText` is called before the first byte of the message is written, which is after the server has answered DATA. */
async function openTransport({ url, timeoutMs }: SmtpOptions, getSocket: GetSocket, onText: () => void) {
  const { createTransport } = await loadMailer();
  const transport = createTransport({
    url,
    getSocket,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    maxResponseSize: MAX_REPLY_BYTES,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use('stream', ({ message }, done) => {
    const read = message.createReadStream.bind(message);
    // Its bytes are made early, and flow once it is connected to the socket.
    message.createReadStream = (made) => read(made).once('resume', onText);
    done();
  });
  return transport;
}

/** `textStarted`: part of the message was written, so that a lost connection leaves the outcome ambiguous. */
function resultOf(error: SmtpError, textStarted: boolean): SendResult {
  const { code, responseCode, response } = error;
  // The operator has to correct the account; the address of the user may be valid.
  if (code === 'EAUTH') return { outcome: 'retryable', error: 'the mail server refused the account' };
  if (responseCode !== undefined && responseCode >= 400)
    return {
      outcome: responseCode >= 500 ? 'rejected' : 'retryable',
      error: `the mail server answered ${responseCode}`,
    };
  // The message of nodemailer quotes the server, which may quote the address.
  const text = response === undefined ? errorText(error) : 'the mail server sent an invalid SMTP reply';
  if (code === 'EENVELOPE' && response === undefined)
    return { outcome: 'rejected', error: 'the e-mail address is not valid' };
  return { outcome: textStarted ? 'ambiguous' : 'retryable', error: text };
}
