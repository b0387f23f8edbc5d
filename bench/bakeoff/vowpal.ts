/**
 * Vowpal Wabbit beside the engine, as its daemon answers: contextual bandits with action features, the user's columns as the
 * shared namespace, each content a feature of its own, all pairs of both.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/kit/random.ts';
import { sample } from '../../src/service/decisions/engine/policy.ts';
import type { Player } from '../field/run.ts';
import type { Visit } from '../field/worlds.ts';
import type { DataSet } from './data-set.ts';

/** Exploration as VW has it, at its defaults. */
const OPTIONS = ['--cb_explore_adf', '--squarecb', '--interactions', 'sa'];
const CONNECT_MS = 10_000;

/** What separates features and names in VW's text format is replaced. */
const word = (text: string) => text.replace(/[\s|:]/g, '_');

const features = ({ traits }: Visit) =>
  Object.entries(traits)
    .map(([name, value]) =>
      typeof value === 'number' ? `${word(name)}:${value}` : `${word(name)}=${word(String(value))}`,
    )
    .join(' ');

/** Starts VW for one pass over a set. */
export async function vowpal(
  program: string,
  { classes }: DataSet,
  seed: string,
): Promise<Player & { close(): Promise<void> }> {
  const port = await freePort();
  const child = spawn(
    program,
    [...OPTIONS, '--quiet', '--daemon', '--foreground', '--num_children', '1', '--port', String(port)],
    {
      stdio: 'ignore',
      // Its daemon starts another process.
      detached: true,
    },
  );
  const socket = await connected(port, child);
  socket.setNoDelay(true);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const random = seededRandom(`${seed}:vowpal`);
  const open = new Map<number, { shared: string; content: number; propensity: number }>();
  /** Sends an example and resolves to its prediction, which ends with an empty line. */
  const ask = async (shared: string, label?: { content: number; cost: number; propensity: number }) => {
    const contents = classes.map((_, i) =>
      label?.content === i ? `0:${label.cost}:${label.propensity} |a content=${i}` : `|a content=${i}`,
    );
    socket.write(`shared |s ${shared}\n${contents.join('\n')}\n\n`);
    const { value } = await lines.next();
    await lines.next();
    return String(value);
  };
  const learn = async (of: number, reward: number) => {
    const { shared, content, propensity } = open.get(of)!;
    open.delete(of);
    await ask(shared, { content, cost: 1 - reward, propensity });
  };
  const waiting: Promise<void>[] = [];
  return {
    omniscient: true,
    async decide(t, visit) {
      await Promise.all(waiting.splice(0));
      const shared = features(visit);
      const answer = await ask(shared);
      const chances = classes.map(() => 0);
      for (const each of answer.split(',')) {
        const [content, chance] = each.split(':').map(Number);
        chances[content!] = chance!;
      }
      const content = sample(chances, random);
      const propensity = chances[content]!;
      open.set(t, { shared, content, propensity });
      return { content };
    },
    click: (_, of) => learn(of, 1),
    silent(_, of) {
      waiting.push(learn(of, 0));
    },
    async close() {
      await Promise.all(waiting);
      socket.destroy();
      if (child.exitCode === null) {
        process.kill(-child.pid!, 'SIGKILL');
        await once(child, 'exit');
      }
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function connected(port: number, child: ChildProcess): Promise<Socket> {
  for (const until = Date.now() + CONNECT_MS; ; await sleep(50)) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      socket.destroy();
      if (Date.now() > until || child.exitCode !== null) throw error;
    }
  }
}
