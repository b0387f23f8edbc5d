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

/** Flags that select the signing secret. There is no flag for the secret itself. */
export const secretFlags = {
  'secret-file': Flags.string({
    summary:
      'file with the signing secret, or - for standard input (default: SVC_WEBHOOK_SECRET, then the profile)',
    helpValue: 'FILE',
  }),
  subscription: Flags.string({
    summary: 'use the secret stored in the profile for this subscription',
    helpValue: 'ID',
  }),
};

export interface SecretFlags extends ConnectionFlags {
  readonly 'secret-file'?: string | undefined;
  readonly subscription?: string | undefined;
  readonly 'no-input': boolean;
}

export interface WebhookSecrets {
  /** Secrets that deliveries should be signed with; several where the profile stores several. */
  readonly expected: readonly NamedSecret[];
  /** All other secrets on this machine, used only to explain a mismatch. */
  readonly others: readonly NamedSecret[];
}

/**
 * Finds signing secrets in the file, the environment and the profile, in this order. `expected` is empty where there is
 * none. Does not require a profile. Throws file and usage for a secret that is selected but not available.
 */
async function findSecrets(flags: SecretFlags, world: World, paths: Paths): Promise<WebhookSecrets> {
  const given = await givenSecret(flags, world);
  const stored = storedSecrets(flags, world, paths, given !== undefined);
  const expected = given === undefined ? stored.filter(({ own }) => own) : [given];
  return { expected, others: stored.filter((one) => !expected.some(({ secret }) => secret === one.secret)) };
}

/** Like `findSecrets`, but prompts for a secret on a terminal where there is none. Throws not_configured too. */
export async function secretsToVerify(
  flags: SecretFlags,
  world: World,
  paths: Paths,
): Promise<WebhookSecrets> {
  const { expected, others } = await findSecrets(flags, world, paths);
  if (expected.length > 0) return { expected, others };
  return { expected: [{ name: 'given', secret: await askForSecret(flags, world) }], others };
}

/** Returns the secret to sign with. Prompts for it on a terminal where there is none. Throws not_configured, usage. */
export async function requireSecret(flags: SecretFlags, world: World, paths: Paths): Promise<string> {
  const { expected } = await findSecrets(flags, world, paths);
  if (expected.length > 1) {
    throw new SvcError('usage', `the profile has ${expected.length} signing secrets`, {
      hint: `select one with --subscription: ${expected.map(({ name }) => shellWord(name)).join(', ')}`,
    });
  }
  return expected[0]?.secret ?? (await askForSecret(flags, world));
}

const SECRET_HINT = 'read -rs SVC_WEBHOOK_SECRET && export SVC_WEBHOOK_SECRET';

/** Prompts for a secret on the terminal. Throws not_configured where the session is not interactive. */
async function askForSecret(flags: SecretFlags, world: World): Promise<string> {
  if (flags['no-input'] || !world.stdin.isTTY || !world.stderr.isTTY) {
    throw new SvcError('not_configured', 'no signing secret is configured', {
      hint: SECRET_HINT,
    });
  }
  const secret = await askSecret(world, 'signing secret', {
    noInput: false,
    instead: SECRET_HINT,
  });
  if (secret === '') throw new SvcError('usage', 'the signing secret is empty', { hint: SECRET_HINT });
  return secret;
}

export interface ListenSecrets {
  readonly secrets: readonly NamedSecret[];
  readonly others: readonly NamedSecret[];
  /** False where the secret was generated for this run. */
  readonly given: boolean;
}

/**
 * Returns the secrets of a listener. A listener that subscribes itself generates one where none is given. Throws
 * not_configured, file, usage.
 */
export async function listenSecrets(
  flags: SecretFlags,
  world: World,
  paths: Paths,
  subscribes: boolean,
): Promise<ListenSecrets> {
  if (subscribes) requireFile(flags['secret-file'], world);
  if (!subscribes) {
    const { expected, others } = await secretsToVerify(flags, world, paths);
    return { secrets: expected, others, given: true };
  }
  const { expected, others } = await findSecrets(flags, world, paths);
  // The stored secrets belong to other subscriptions, whose deliveries are accepted too.
  const chosen = flags['secret-file'] ?? flags.subscription ?? world.env.SVC_WEBHOOK_SECRET;
  if (chosen) return { secrets: expected, others, given: true };
  const made = { name: 'this listener', secret: newSecret() };
  return { secrets: [made, ...expected], others, given: false };
}

/** Throws file where the secret file does not exist, so that a typing error does not create a new secret. */
function requireFile(file: string | undefined, { cwd }: Pick<World, 'cwd'>): void {
  if (file === undefined || file === '-' || existsSync(resolve(cwd, file))) return;
  throw new SvcError('file', `no such file: ${file}`, {
    hint: (invocation) =>
      `create a secret for the listener and the handler: (umask 077; openssl rand -hex 32 > ${shellPath(file)}), then: ${invocation.rerunWith()}`,
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
  /** True for the connection of this command. */
  readonly own: boolean;
}

function storedSecrets(flags: SecretFlags, world: World, paths: Paths, optional: boolean): StoredSecret[] {
  let contents: ReturnType<Profiles['read']>;
  try {
    contents = new Profiles(paths.configDir).read();
  } catch (error) {
    // With a given secret, the stored ones only help to explain a mismatch.
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
    throw new SvcError('usage', `the profile has no secret for the subscription ${flags.subscription}`, {
      hint: (invocation) => `list the subscriptions: ${invocation.onSameService('webhooks', 'list')}`,
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
