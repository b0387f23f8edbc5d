import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { certificateFiles } from '../../support/peers/certificate.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startServing } from '../../support/process/served.ts';
import { svcProgram } from '../../support/process/svc-process.ts';
import { tempDir } from '../../support/temp.ts';

/** Runs a command in a terminal that is closed once the command shows READY, and prints its exit code: minus the signal. */
const CLOSED_TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b''
while os.environ['READY'].encode() not in shown:
    shown += os.read(terminal, 4096)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

/** Runs svc in a terminal that is closed once it runs, and checks that the signal has ended it, without an abort. */
async function closeTerminalOf(home: string, argv: string[], ready = 'stop with Ctrl-C'): Promise<void> {
  const { start } = await svcProgram();
  const { ended } = start(argv, {
    env: {
      PATH: process.env.PATH!,
      HOME: home,
      SVC_DATA_DIR: join(home, 'data'),
      READY: ready,
      CLOSED_TERMINAL,
    },
    cwd: home,
    shell: 'exec python3 -c "$CLOSED_TERMINAL" "$@"',
  });
  expect(await ended).toEqual({ code: 0, signal: null, stdout: '-1\n', stderr: '' });
}

// On Windows there is no such signal.
if (process.platform !== 'win32') {
  it.each(['tls', '--processes 2'])(
    'the end of its terminal ends a node that obeys SIGHUP: %s',
    async (kind) => {
      const { home, flags } = certificateFiles();
      const more = kind === 'tls' ? flags : kind.split(' ');
      await closeTerminalOf(home, ['serve', '--port', '0', '--database', join(home, 'data.db'), ...more]);
    },
  );

  it('the end of its terminal ends a command as an interrupt does', async () => {
    const home = tempDir();
    await closeTerminalOf(home, ['webhooks', 'listen', '--port', '0', '--profile', 'local']);
    const left = await runSvc(['webhooks', 'list', '--json', '--profile', 'local'], { home });
    expect(JSON.parse(left.stdout)).toMatchObject({ webhooks: [] });
  });

  it('the end of its terminal is no abort for a command that ends because its input has', async () => {
    await closeTerminalOf(tempDir(), ['profiles', 'add', 'shop'], 'base URL:');
  });

  it('without a terminal, its end ends no command, as under nohup', async () => {
    const { home } = certificateFiles();
    const served = await startServing(await svcProgram(), { database: join(home, 'data.db'), home }).ready;
    onTestFinished(() => served.kill());
    served.process.child.kill('SIGHUP');
    expect(await served.send('/v1/decisioning/decide', { hashId: 'h' })).toMatchObject({ status: 200 });
    expect(await served.stop()).toBe(0);
  });
}
