import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

export interface MailServer {
  readonly url: string;
  /** The text of each completely received message, including headers. */
  readonly messages: string[];
  /** Resolves when the next connection closes. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

export interface MailHabits {
  /** Uses implicit TLS, with an untrusted certificate. */
  readonly secure?: boolean;
  /** Called after each answered command. */
  readonly onCommand?: (command: string, socket: Socket) => void;
  /** Answers by command (its first word); `drop` resets the connection, an empty text sends nothing. */
  readonly answers?: Readonly<Record<string, string>>;
}

const DEFAULT_ANSWERS: Readonly<Record<string, string>> = {
  GREETING: '220 mail.test ESMTP',
  EHLO: '250 mail.test',
  HELO: '250 mail.test',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go on',
  END: '250 taken',
  QUIT: '221 bye',
};

/** Starts a minimal mail server (RFC 5321) on a free port of 127.0.0.1. */
export async function startMailServer(habits: MailHabits = {}): Promise<MailServer> {
  const messages: string[] = [];
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  const serve = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const notify of waiting) notify();
    });
    const reply = (command: string) => {
      const answer = habits.answers?.[command] ?? DEFAULT_ANSWERS[command] ?? '502 unknown';
      if (answer === 'drop') socket.resetAndDestroy();
      else if (answer !== '') socket.write(`${answer}\r\n`);
    };
    let buffer = '';
    let inText = false;
    reply('GREETING');
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
          reply('END');
        } else {
          const command = part.split(' ')[0]!.toUpperCase();
          reply(command);
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
