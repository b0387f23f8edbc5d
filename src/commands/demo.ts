import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, SvcCommand } from '../cli/command/command.ts';
import { connect } from '../cli/connection/connect.ts';
import { SvcError } from '../cli/errors/svc-error.ts';
import { Flags } from '../cli/flags/oclif.ts';
import { bold, cyan } from '../cli/terminal/text.ts';
import { withDataDir } from '../features/demo/data-dir.ts';

export default class Demo extends SvcCommand {
  static override endsWithReader = true;
  static override summary = 'Show what the service does, in five steps on temporary data';
  static override description =
    `Runs the service in this process on temporary data and goes through its five steps: track, decide, render, notify
and call back. Needs neither a profile nor a network, and does not change the data of \`local\`. With --app it serves a small
shop on a loopback address: each step of the loop stands beside it as it happens.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json',
  ];
  static override exitCodes = [0, 1, 2, 5, 6, 130] as const;
  static override flags = {
    app: Flags.boolean({
      summary: 'show the loop on a web page instead: a shop that learns what its visitors tap, until Ctrl-C',
    }),
    open: Flags.boolean({ summary: 'open the page of --app in the browser', dependsOn: ['app'] }),
  };

  protected override async run(context: Context<typeof Demo>): Promise<void> {
    const { flags, world, out, signal, version } = context;
    if (flags.app) {
      const { runShop } = await import('../features/demo/shop.ts');
      await runShop(context, flags.open === true);
      return;
    }
    const { DemoFailed, runDemo } = await import('../features/demo/run.ts');
    const { demoJson, narrate } = await import('../features/demo/narration.ts');
    const { randomFrom } = await import('../kit/random.ts');
    const started = performance.now();
    const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
    try {
      const connection = await connect({
        world: withDataDir(folder, world),
        out,
        flags,
        settings: { kind: 'local', by: 'svc demo' },
        version,
      });
      let number = 0;
      try {
        const stage = {
          client: connection.client,
          clock: world.clock,
          random: randomFrom(undefined),
          signal,
        };
        for await (const step of runDemo(stage)) {
          number++;
          out.line(demoJson(step), () => narrate(step, number));
        }
      } catch (error) {
        if (signal.aborted)
          throw new SvcError('interrupted', 'interrupted', { hint: (invocation) => invocation.rerunWith() });
        if (!(error instanceof DemoFailed)) throw error;
        throw new SvcError('failed', `the demo stopped after ${number} of 5 steps: ${error.message}`, {
          hint: (invocation) => `report this with the output of: ${invocation.rerunWith('--debug')}`,
        });
      } finally {
        await connection.close();
      }
      const seconds = (performance.now() - started) / 1000;
      out.line({ move: 'done', elapsedMs: Math.round(seconds * 1000) }, () => [
        bold(`Five steps in ${seconds.toFixed(1)} s.`),
        '\n',
        'To use your own data: ',
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
