import { createPrivateKey, createPublicKey } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { shell } from '../../../../kit/shell.ts';
import { readUtf8 } from '../../../../kit/utf8-text.ts';
import { placeholdersOf } from './fill.ts';
import { checkedProvider, ProviderFileError, parseProvider } from './parse.ts';
import type { ProviderFile } from './schema.ts';
import { SHIPPED } from './shipped.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider file with the values of its settings, for one channel. */
export interface Provider {
  readonly file: ProviderFile;
  readonly channel: string;
  /** The value of each setting; an object where it is JSON. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The secret values, which are masked in every message. */
  readonly secrets: readonly string[];
  /** Address of this service as providers reach it (SVC_PUBLIC_URL), without a slash at its end. */
  readonly publicUrl: string | undefined;
  /** True if the provider sends receipts, and they can be checked. */
  readonly givesReceipts: boolean;
}

/** The names of the provider files that ship with svc. */
export const SHIPPED_PROVIDERS: readonly string[] = Object.keys(SHIPPED);

/**
 * Loads the provider of a channel: the file that ships under a name, or a file. Its settings are read from the environment.
 * Throws ProviderFileError, which names the file or the variable.
 */
export function loadProvider(channel: string, nameOrFile: string, env: Environment): Provider {
  const shipped = Object.hasOwn(SHIPPED, nameOrFile) ? SHIPPED[nameOrFile] : undefined;
  const file = shipped ? checkedProvider(shipped) : readProvider(nameOrFile);
  if (!(file.channels as readonly string[]).includes(channel))
    throw new ProviderFileError(
      `provider ${file.name} is for ${file.channels.join(', ')}, and not for ${channel}`,
    );
  return withSettings(file, channel, env);
}

/** Reads the settings of a provider from the environment. Throws ProviderFileError, which names the variable. */
function withSettings(file: ProviderFile, channel: string, env: Environment): Provider {
  const settings: Record<string, unknown> = {};
  const secrets: string[] = [];
  for (const [name, setting] of Object.entries(file.settings)) {
    const variable = setting.env.replace('{CHANNEL}', channel.toUpperCase());
    const value = readSetting(variable, env) ?? setting.default;
    if (value === undefined && setting.optional) continue;
    if (value === undefined || value === '')
      throw new ProviderFileError(
        `provider ${file.name} requires ${variable} (${setting.description}), or ${variable}_FILE, a file with it that only you may read`,
      );
    if (value.length < (setting.minLength ?? 0))
      throw new ProviderFileError(`${variable} must have at least ${setting.minLength} characters`);
    settings[name] = setting.json ? parsed(value, variable) : value;
    if (setting.secret) secrets.push(...secretsIn(settings[name]));
  }
  const provider = { file, channel, settings, secrets, publicUrl: publicUrlOf(env) };
  checkKeys(provider);
  return { ...provider, givesReceipts: hasReceipts(provider) };
}

/** A variable, or the content of the file that `…_FILE` names. */
function readSetting(variable: string, env: Environment): string | undefined {
  const value = env[variable];
  if (value) return value;
  const path = env[`${variable}_FILE`];
  if (!path) return undefined;
  let mode: number;
  let text: string;
  try {
    mode = statSync(path).mode;
    text = readUtf8(path);
  } catch (error) {
    throw new ProviderFileError(`${variable}_FILE: ${(error as Error).message}`);
  }
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new ProviderFileError(
      `${variable}_FILE: others may read ${path}; allow only its owner: ${shell`chmod 600 ${path}`}`,
    );
  return text.trim();
}

function parsed(text: string, variable: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The message of JSON.parse quotes the text.
  }
  throw new ProviderFileError(`${variable} is not a JSON object`);
}

/** Of a JSON value, what is a secret by its name: the rest, such as a URL, appears in messages. */
function secretsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value as object).flatMap(([name, field]) =>
    /key|secret|token$/i.test(name) && typeof field === 'string' ? [field] : [],
  );
}

/** Keys that cannot be used are found at the start, and not with the first message. */
function checkKeys({ file, settings }: Pick<Provider, 'file' | 'settings'>): void {
  const { authentication } = file;
  if (authentication.type === 'google-service-account') {
    const account = settings[authentication.account] as Record<string, unknown> | string;
    const { env } = file.settings[authentication.account]!;
    for (const field of ['client_email', 'private_key', 'token_uri'])
      if (typeof account !== 'object' || typeof account[field] !== 'string')
        throw new ProviderFileError(`${env} is not the key of a service account: ${field} is missing`);
    try {
      createPrivateKey((account as { private_key: string }).private_key);
    } catch {
      throw new ProviderFileError(`${env}: private_key is not a private key in PEM`);
    }
  }
  const verify = file.receipts?.verify;
  if (verify?.type === 'ecdsa') {
    const name = placeholdersOf(verify.publicKey)[0]?.split('.')[1];
    const key = name === undefined ? verify.publicKey : settings[name];
    if (key !== undefined && !isPublicKey(String(key)))
      throw new ProviderFileError(
        `${name === undefined ? 'receipts.verify.publicKey' : file.settings[name]!.env} is not a public key in base64`,
      );
  }
}

function isPublicKey(key: string): boolean {
  try {
    createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return true;
  } catch {
    return false;
  }
}

/** The address of this service as others reach it. Throws ProviderFileError. */
export function publicUrlOf(env: Environment): string | undefined {
  const url = env.SVC_PUBLIC_URL;
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ProviderFileError(
      'SVC_PUBLIC_URL must be an http(s) URL: the address of this service as providers reach it',
    );
  return url.replace(/\/+$/, '');
}

function hasReceipts({ file, settings, publicUrl }: Omit<Provider, 'givesReceipts'>): boolean {
  const { receipts } = file;
  if (!receipts) return false;
  if (receipts.enabledBy && settings[receipts.enabledBy] !== '1') return false;
  // Its signature covers the URL.
  if (receipts.verify.type === 'twilio' && publicUrl === undefined) return false;
  return placeholdersOf([receipts.verify, receipts.challenge ?? null]).every(
    (name) => settings[name.split('.')[1]!] !== undefined,
  );
}

function readProvider(path: string): ProviderFile {
  let text: string;
  try {
    if (!lstatSync(path).isFile() && !statSync(path).isFile()) throw new Error('is not a file');
    text = readUtf8(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && !/[/\\.]/.test(path))
      throw new ProviderFileError(
        `unknown provider ${path}: the providers that ship with svc are ${SHIPPED_PROVIDERS.join(', ')}; or name a file`,
      );
    throw new ProviderFileError(`the provider file ${path} cannot be read: ${message}`);
  }
  try {
    return parseProvider(text);
  } catch (error) {
    throw new ProviderFileError(
      `the provider file ${path} is not valid: ${(error as Error).message.replaceAll('\n', '; ')}`,
    );
  }
}
