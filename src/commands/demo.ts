import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, SvcCommand } from '../cli/command/command.ts';
import { connect } from '../cli/connection/connect.ts';
import { SvcError } from '../cli/errors/svc-error.ts';
import { bold, cyan } from '../cli/terminal/text.ts';
import type { World } from '../cli/terminal/world.ts';

export default class Demo extends SvcCommand {
  static override summary = 'See the five moves on fresh data of this machine, in a few seconds';
  static override description =
    `Track, decide, render, notify, call back: the whole service runs in this process on data that is thrown away after.
No profile and no network is needed, and the data of \`local\` is not touched.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 5, 6, 130] as const;

  protected override async run({ flags, world, out, signal, version }: Context<typeof Demo>): Promise<void> {
    const { DemoFailed, playDemo } = await import('../features/demo/run.ts');
    const { demoJson, narrate } = await import('../features/demo/narration.ts');
    const { randomFrom } = await import('../kit/random.ts');
    const started = performance.now();
    const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
    try {
      const connection = await connect(
        on(folder, world),
        out,
        flags,
        { kind: 'local', by: 'svc demo' },
        version,
      );
      let number = 0;
      try {
        const stage = {
          client: connection.client,
          clock: world.clock,
          random: randomFrom(undefined),
          signal,
        };
        for await (const move of playDemo(stage)) {
          number++;
          out.line(demoJson(move), () => narrate(move, number));
        }
      } catch (error) {
        if (signal.aborted)
          throw new SvcError('interrupted', 'interrupted', { hint: (invocation) => invocation.again() });
        if (!(error instanceof DemoFailed)) throw error;
        throw new SvcError('failed', `the demo stopped after ${number} of 5 moves: ${error.message}`, {
          hint: (invocation) => `please report this with its requests: ${invocation.again('--debug')}`,
        });
      } finally {
        await connection.close();
      }
      const seconds = (performance.now() - started) / 1000;
      out.line({ move: 'done', elapsedMs: Math.round(seconds * 1000) }, () => [
        bold(`Five moves in ${seconds.toFixed(1)} s.`),
        '\n',
        'Your own data next: ',
        cyan('svc serve'),
        ', or ',
        cyan('--profile local'),
        ' with any command.',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** The same world with its data elsewhere and no service named in its environment. */
function on(folder: string, world: World): World {
  const env = { ...world.env, SVC_DATA_DIR: folder, SVC_BASE_URL: undefined, SVC_PROFILE: undefined };
  return Object.create(world, { env: { value: env } }) as World;
}
