import { validate } from '../../../../contract/validation.ts';
import { placeholdersOf } from './fill.ts';
import { ProviderFile } from './schema.ts';

/** The provider file is not valid; the message lists every error with its path. */
export class ProviderFileError extends Error {
  override readonly name = 'ProviderFileError';
}

const MAX_BYTES = 256 * 1024;

/** Parses and validates the text of a provider file. Throws ProviderFileError. */
export function parseProvider(text: string): ProviderFile {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new ProviderFileError('the file is larger than 256 KiB');
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new ProviderFileError(`the file is not JSON: ${(error as Error).message}`);
  }
  return checkedProvider(value);
}

/** Validates a provider file that is already parsed. Throws ProviderFileError. */
export function checkedProvider(value: unknown): ProviderFile {
  const result = validate(ProviderFile, value);
  if (!result.ok)
    throw new ProviderFileError(
      result.issues
        .map((issue, i) => {
          const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
          return `${[...issue.path, ...unknown].join('.') || 'the file'} ${result.details[i]!.message}`;
        })
        .join('\n'),
    );
  const file = result.value;
  const issues = [...unknownSettings(file), ...ofUrls(file), ...ofBody(file)];
  if (issues.length > 0) throw new ProviderFileError(issues.join('\n'));
  return file;
}

/** Names of values besides the settings. */
const MESSAGE_VALUES = new Set([
  ...['to', 'phone', 'phoneDigits', 'text', 'subject', 'html', 'notificationId', 'templateId', 'hashId'],
  ...['channel', 'priority', 'addresses', 'receiptsUrl', 'unsubscribeUrl', 'item', 'push', 'whatsapp'],
]);

function unknownSettings(file: ProviderFile): string[] {
  const named = placeholdersOf([file.request, file.authentication, file.receipts ?? null]);
  const accounts = 'account' in file.authentication ? [`settings.${file.authentication.account}`] : [];
  const switches = [file.idempotency?.setting, file.receipts?.enabledBy].flatMap((name) =>
    name === undefined ? [] : [`settings.${name}`],
  );
  return [...new Set([...named, ...accounts, ...switches])].flatMap((name) => {
    const [first, second] = name.split('.');
    if (first === 'settings')
      return second && Object.hasOwn(file.settings, second)
        ? []
        : [`settings.${second} is used and not described`];
    return MESSAGE_VALUES.has(first!) ? [] : [`{{${name}}} is not a value of a notification`];
  });
}

/** The host is fixed by the file and its settings: no value of a user or a trigger may choose where a request goes. */
export const FIXED_HOST = /^(https?:\/\/[^{}/?#@]+|\{\{\s*settings\.[\w.]+\s*\}\})(\/|\?|$)/;

function ofUrls(file: ProviderFile): string[] {
  const { authentication } = file;
  const urls = [
    ['request.url', file.request.url],
    ...('tokenUrl' in authentication ? [['authentication.tokenUrl', authentication.tokenUrl]] : []),
  ];
  return urls.flatMap(([path, url]) =>
    FIXED_HOST.test(url!)
      ? []
      : [`${path} must begin with https:// and a host, or with one setting, and then /`],
  );
}

function ofBody({ request }: ProviderFile): string[] {
  return (request.json === undefined) === (request.form === undefined)
    ? ['request needs either json or form']
    : [];
}
