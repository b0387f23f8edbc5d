import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface HandlerProcess {
  readonly url: URL;
  stop(): Promise<void>;
}

/** Starts a handler process on a free port. It must print its URL as the first line. */
export async function startHandler(command: string, args: string[], secret: string): Promise<HandlerProcess> {
  const child = spawn(command, args, {
    env: { ...process.env, SVC_WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const exited = once(child, 'exit');
  const [first] = await Promise.race([
    once(lines, 'line'),
    exited.then(([code]) => {
      throw new Error(`${command} ${args.join(' ')} ended with ${code} before it printed its URL`);
    }),
  ]);
  return {
    url: new URL(String(first)),
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
