import type { Context } from '../../cli/command/command.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { withSpinner } from '../../cli/terminal/spinner.ts';
import { createClient } from '../../client/client.ts';
import { randomFrom } from '../../kit/random.ts';
import { commandLine } from '../../kit/shell.ts';
import type { Profile } from '../../profiles/profiles.ts';
import { checkService } from '../doctor/service.ts';

const TIMEOUT_MS = 5_000;

/** Checks a saved profile with one read, and prints the result. The profile is kept in any case. Throws interrupted. */
export async function tryProfile(
  name: string,
  { baseUrl, workspace, apiKey, region }: Profile,
  { world, out, version, signal }: Pick<Context, 'world' | 'out' | 'version' | 'signal'>,
): Promise<void> {
  if (apiKey === undefined) return;
  const doctor = commandLine(['svc', 'doctor', '--profile', name]);
  const origin = { from: 'profile', name } as const;
  const expected =
    region === undefined
      ? undefined
      : { region, origin, addressOrigin: origin, otherAddress: () => undefined };
  const client = createClient({
    baseUrl,
    workspace,
    apiKey,
    idempotent: false,
    timeoutMs: TIMEOUT_MS,
    maxRetries: 0,
    clock: world.clock,
    random: randomFrom(undefined),
    userAgent: `svc/${version}`,
  });
  world.shortLived();
  try {
    const address = { suffix: ` ${baseUrl}`, alternative: undefined };
    const place = { workspace, toLive: doctor, toWebhook: () => doctor };
    const read = () => checkService(client, expected, () => world.clock.now(), signal, address, place);
    const rows = await withSpinner(world, out, 'checking the key', read);
    if (signal.aborted)
      throw new SvcError('interrupted', 'interrupted while checking the key; the profile is saved', {
        hint: doctor,
      });
    for (const { check, status, seen } of rows) {
      if (status === 'fail' || status === 'warn') out.warn(`${check}: ${seen}; for details: ${doctor}`);
      else if (check === 'key') out.notice(status === 'ok' ? 'the service accepts the key' : `key ${seen}`);
    }
  } finally {
    await client.close();
  }
}
