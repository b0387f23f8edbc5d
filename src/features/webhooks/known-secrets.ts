import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Paths } from '../../cli/connection/paths.ts';
import { type ConnectionFlags, resolveSettings } from '../../cli/connection/settings.ts';
import { SvcError } from '../../cli/errors/svc-error.ts';
import { Flags } from '../../cli/flags/oclif.ts';
import { askSecret } from '../../cli/input/prompt.ts';
import type { World } from '../../cli/terminal/world.ts';
import { shellPath, shellWord } from '../../kit/shell.ts';
import { Profiles } from '../../profiles/profiles.ts';
import { webhookKey } from '../../profiles/webhook-store.ts';
import type { NamedSecret } from '../listen/verify-signature.ts';
import { newSecret, readSecret } from './signing-secret.ts';

/** Where a signing secret may come from; there is no flag for the secret itself. */
export const secretFlags = {
  'secret-file': Flags.string({
    summary: 'file with the signing secret, or -; else SVC_WEBHOOK_SECRET, else what the profile keeps',
    helpValue: 'FILE',
  }),
  subscription: Flags.string({
    summary: 'use the secret that the profile keeps for this subscription',
    helpValue: 'ID',
  }),
};

export interface SecretFlags extends ConnectionFlags {
  readonly 'secret-file'?: string | undefined;
  readonly subscription?: string | undefined;
  readonly 'no-input': boolean;
}

export interface WebhookSecrets {
  /** Those that deliveries should be signed with; several where the profile keeps several. */
  readonly expected: readonly NamedSecret[];
  /** All others known to this machine: they only help to explain a mismatch. */
  readonly others: readonly NamedSecret[];
}

/**
 * Finds signing secrets: file, environment, profile, in this order. `expected` is empty where there is none.
 * Needs no profile. Throws file and usage for a secret that was named and cannot be had.
 */
export async function findSecrets(flags: SecretFlags, world: World, paths: Paths): Promise<WebhookSecrets> {
  const given = await givenSecret(flags, world);
  const kept = storedSecrets(flags, world, paths, given !== undefined);
  const expected = given === undefined ? kept.filter(({ own }) => own) : [given];
  return { expected, others: kept.filter((one) => !expected.some(({ secret }) => secret === one.secret)) };
}

/** The one secret to sign with. Asks on a terminal where there is none. Throws not_configured, usage. */
export async function requireSecret(flags: SecretFlags, world: World, paths: Paths): Promise<string> {
  const { expected } = await findSecrets(flags, world, paths);
  if (expected.length > 1) {
    throw new SvcError('usage', `the profile keeps ${expected.length} signing secrets`, {
      hint: `name one with --subscription: ${expected.map(({ name }) => shellWord(name)).join(', ')}`,
    });
  }
  return expected[0]?.secret ?? (await askForSecret(flags, world));
}

const SECRET_HINT =
  'read -rs SVC_WEBHOOK_SECRET && export SVC_WEBHOOK_SECRET; or name a file with --secret-file';

/** Asks for a secret on the terminal. Throws not_configured where nobody can answer. */
export async function askForSecret(flags: SecretFlags, world: World): Promise<string> {
  if (flags['no-input'] || !world.stdin.isTTY || !world.stderr.isTTY) {
    throw new SvcError('not_configured', 'there is no signing secret', {
      hint: SECRET_HINT,
    });
  }
  const secret = await askSecret(world, 'signing secret', {
    noInput: false,
    instead: SECRET_HINT,
  });
  if (secret === '') throw new SvcError('usage', 'the secret is empty', { hint: SECRET_HINT });
  return secret;
}

export interface ListenSecrets {
  readonly secrets: readonly NamedSecret[];
  readonly others: readonly NamedSecret[];
  /** False where it was made for this run. */
  readonly given: boolean;
}

/**
 * The secrets of a listener. One that subscribes itself needs none given: it makes one for the run. Throws not_configured, file, usage.
 */
export async function listenSecrets(
  flags: SecretFlags,
  world: World,
  paths: Paths,
  subscribes: boolean,
): Promise<ListenSecrets> {
  if (subscribes) requireFile(flags['secret-file'], world);
  const { expected, others } = await findSecrets(flags, world, paths);
  if (!subscribes) {
    const secrets =
      expected.length > 0 ? expected : [{ name: 'given', secret: await askForSecret(flags, world) }];
    return { secrets, others, given: true };
  }
  // What the profile keeps belongs to other subscriptions; deliveries of those are taken too.
  const chosen = flags['secret-file'] ?? flags.subscription ?? world.env.SVC_WEBHOOK_SECRET;
  if (chosen) return { secrets: expected, others, given: true };
  const made = { name: 'this listener', secret: newSecret() };
  return { secrets: [made, ...expected], others, given: false };
}

/** A typing error must not become a file with a secret that nobody else has. Throws file. */
function requireFile(file: string | undefined, { cwd }: Pick<World, 'cwd'>): void {
  if (file === undefined || file === '-' || existsSync(resolve(cwd, file))) return;
  throw new SvcError('file', `no such file: ${file}`, {
    hint: (invocation) =>
      `to make a secret for the listener and the handler: (umask 077; openssl rand -hex 32 > ${shellPath(file)}), then: ${invocation.again()}`,
  });
}

async function givenSecret(flags: SecretFlags, world: World): Promise<NamedSecret | undefined> {
  const file = flags['secret-file'];
  if (file !== undefined) return { name: file, secret: await readSecret(world, file) };
  if (flags.subscription !== undefined) return undefined;
  const secret = world.env.SVC_WEBHOOK_SECRET;
  return secret ? { name: 'SVC_WEBHOOK_SECRET', secret } : undefined;
}

interface StoredSecret extends NamedSecret {
  /** Of the connection that this command would use. */
  readonly own: boolean;
}

function storedSecrets(flags: SecretFlags, world: World, paths: Paths, optional: boolean): StoredSecret[] {
  let contents: ReturnType<Profiles['read']>;
  try {
    contents = new Profiles(paths.configDir).read();
  } catch (error) {
    // They only help to explain where the secret was given.
    if (optional) return [];
    throw error;
  }
  const key = optional ? undefined : connectionKey(flags, world);
  const names = new Map(
    Object.entries(contents.profiles).map(([name, profile]) => [
      webhookKey({ isLocal: false, ...profile }),
      name,
    ]),
  );
  const all = Object.entries(contents.webhooks ?? {}).flatMap(([under, webhooks]) =>
    Object.entries(webhooks).map(([id, { signingSecret }]) => ({
      id,
      name: `profile ${names.get(under) ?? under}, subscription ${id}`,
      secret: signingSecret,
      own: under === key,
    })),
  );
  if (flags.subscription === undefined) return all;
  const named = all.filter(({ id, own }) => own && id === flags.subscription);
  if (named.length === 0) {
    throw new SvcError('usage', `the profile keeps no secret for subscription ${flags.subscription}`, {
      hint: (invocation) =>
        `see which there are: ${invocation.on('webhooks', 'list')}; or name a file with --secret-file`,
    });
  }
  return [...named, ...all.filter((one) => !named.includes(one)).map((one) => ({ ...one, own: false }))];
}

function connectionKey(flags: SecretFlags, world: World): string | undefined {
  try {
    const settings = resolveSettings(flags, world);
    return webhookKey(
      settings.kind === 'local'
        ? { isLocal: true, baseUrl: '', workspace: '' }
        : { isLocal: false, baseUrl: settings.baseUrl, workspace: settings.workspace },
    );
  } catch (error) {
    if (error instanceof SvcError && error.code === 'not_configured') return undefined;
    throw error;
  }
}
