import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

export interface MailServer {
  readonly url: string;
  /** The text of each message whose end was received, headers included. */
  readonly messages: string[];
  /** Resolves when the next connection to end has ended. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

export interface MailHabits {
  /** Speaks TLS from the first byte on, with a certificate that nobody vouches for. */
  readonly secure?: boolean;
  /** Called after a command was answered. */
  readonly onCommand?: (command: string, socket: Socket) => void;
  /** The answer to a command (its first word) in place of the default one; `drop` tears the connection, an empty one is none. */
  readonly answers?: Readonly<Record<string, string>>;
}

const USUAL: Readonly<Record<string, string>> = {
  GREETING: '220 mail.test ESMTP',
  EHLO: '250 mail.test',
  HELO: '250 mail.test',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  END: '250 taken',
  QUIT: '221 bye',
};

/** A mail server (RFC 5321, the part a client needs) on a free port of 127.0.0.1. */
export async function startMailServer(habits: MailHabits = {}): Promise<MailServer> {
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const tell of waiting) tell();
    });
    const say = (what: string) => {
      const answer = habits.answers?.[what] ?? USUAL[what] ?? '502 unknown';
      if (answer === 'drop') socket.resetAndDestroy();
      else if (answer !== '') socket.write(`${answer}\r\n`);
    };
    let buffer = '';
    let inText = false;
    say('GREETING');
    socket.on('data', (chunk) => {
      buffer += chunk.toString();
      for (;;) {
        const mark = inText ? '\r\n.\r\n' : '\r\n';
        const end = buffer.indexOf(mark);
        if (end < 0) return;
        const part = buffer.slice(0, end);
        buffer = buffer.slice(end + mark.length);
        if (inText) {
          messages.push(part);
          inText = false;
          say('END');
        } else {
          const command = part.split(' ')[0]!.toUpperCase();
          say(command);
          habits.onCommand?.(command, socket);
          if (command === 'DATA' && !habits.answers?.DATA) inText = true;
          if (command === 'QUIT') socket.end();
        }
      }
    });
  };
  const server = habits.secure
    ? createSecureServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, serve)
    : createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${habits.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    messages,
    disconnected: () => new Promise((resolve) => waiting.add(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
