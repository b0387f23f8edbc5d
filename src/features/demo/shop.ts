import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Context } from '../../cli/command/command.ts';
import { connect } from '../../cli/connection/connect.ts';
import { pathsOf } from '../../cli/connection/paths.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { withAccounts } from '../accounts/open.ts';
import { openInBrowser } from '../console-server/open.ts';
import { withDataDir } from './data-dir.ts';

/**
 * Serves the shop of examples/app on a loopback address until the signal fires: its server is a process of its own, as an
 * integrator's is, beside the service of this process on temporary data.
 */
export async function runShop(context: Context, open: boolean): Promise<void> {
  const { flags, out, signal, version, root } = context;
  const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  const world = withDataDir(folder, context.world);
  const settings = { kind: 'local', by: 'svc demo' } as const;
  const appScript = join(root, 'dist', 'app.js');
  const connection = await connect({ world, out, flags, settings, version, appScript });
  try {
    const { key } = await withAccounts({ flags: {}, world, paths: pathsOf(world), out }, async (accounts) => {
      const [workspace] = await accounts.listWorkspaces();
      await accounts.updateWorkspace(workspace!.id, { origins: ['*'] });
      return accounts.createKey(workspace!.id, 'publishable', 'the shop of svc demo');
    });
    const { baseUrl, workspace } = connection;
    const shop = spawn(process.execPath, [join(root, 'examples', 'app', 'server.js')], {
      env: {
        ...Object.fromEntries(Object.entries(world.env).filter(([name]) => !name.startsWith('SVC_'))),
        SVC_BASE_URL: baseUrl,
        SVC_WORKSPACE: workspace,
        SVC_API_KEY: connection.service!.apiKey!,
        SHOP_KEY: key,
        SHOP_SDK: appScript,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<void>((resolve) => shop.once('close', () => resolve()));
    const stop = () => void shop.kill();
    signal.addEventListener('abort', stop);
    for await (const url of createInterface({ input: shop.stdout })) {
      out.line({ url }, () => `The shop is at ${url}`);
      if (!(open && (await openInBrowser(url, world.env))))
        out.notice('open it in a browser; stop with Ctrl-C');
    }
    await ended;
    signal.removeEventListener('abort', stop);
    if (!signal.aborted)
      throw new SvcError('failed', `the server of the shop ended with ${shop.exitCode}`, {
        hint: (invocation) => invocation.rerunWith('--debug'),
      });
  } finally {
    await connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
