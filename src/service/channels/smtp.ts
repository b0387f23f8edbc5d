import { Readable } from 'node:stream';
import type { Transporter } from 'nodemailer';
import type { ChannelAdapter, HandOver } from './channel.ts';

export interface SmtpOptions {
  /** `smtp://` or `smtps://` with user information where the server wants it. */
  readonly url: string;
  readonly from: string;
  readonly timeoutMs: number;
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** One address and nothing that could read as two. */
const ONE_ADDRESS = /^[^\s@,;<>"()]+@[^\s@,;<>"()]+$/;

/**
 * email, over SMTP (RFC 5321). A mail server does not drop repeats, so what ended in doubt (connection lost after
 * the text was sent) is never sent again. The Message-ID is the notification's, to tell copies apart.
 */
export function smtpChannel(options: SmtpOptions): ChannelAdapter {
  let transport: Promise<Transporter> | undefined;
  const open = () => {
    transport ??= connect(options);
    return transport;
  };
  const domain = options.from.replace(/^.*@/, '').replace(/>.*$/, '') || 'localhost';
  return {
    name: 'smtp',
    dropsRepeats: false,
    async send(message): Promise<HandOver> {
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
      try {
        await (await open()).sendMail({
          from: options.from,
          to: { name: '', address: message.to.email },
          subject: message.subject ?? message.templateId,
          text,
          messageId: `<${message.notificationId}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { outcome: 'taken' };
      } catch (error) {
        return verdict(error as SmtpError, begun);
      }
    },
    async close() {
      (await transport)?.close();
    },
  };
}

/** Loaded with the first e-mail: most processes send none. */
async function connect({ url, timeoutMs }: SmtpOptions): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** `begun`: the server may have begun to receive the text; a connection lost after that tells nothing. */
function verdict(error: SmtpError, begun: boolean): HandOver {
  const { code, responseCode } = error;
  // The account is the operator's to mend, not the user's address.
  if (code === 'EAUTH') return { outcome: 'later', error: 'the mail server refused the account' };
  if (responseCode !== undefined && responseCode >= 400)
    return {
      outcome: responseCode >= 500 ? 'refused' : 'later',
      error: `the mail server answered ${responseCode}`,
    };
  if (code === 'EENVELOPE') return { outcome: 'refused', error: 'the e-mail address is not valid' };
  return { outcome: begun ? 'unknown' : 'later', error: error.message };
}
