import { SvcError } from '../../../cli/errors/svc-error.ts';
import { TransportError } from '../../../client/errors.ts';
import { toTransportError } from '../../../client/transport-errors.ts';
import { shell } from '../../../kit/shell.ts';
import { InputError } from '../input/input-error.ts';

/** The error of an address whose content another program can send. */
function throughPipe(message: string, name: string, by = shell`curl -fsSL ${name}`): InputError {
  return new InputError(message, by, { prepare: { by, name, makes: '-' } });
}

/** An answer that is final. */
export function refusedDownload(name: string, status: number): InputError {
  const words: Readonly<Record<number, string>> = {
    401: 'it asks for a login, and svc sends no credentials',
    403: 'access is denied, or its signature has expired',
    404: 'there is no such file',
    410: 'the file is gone',
  };
  const why = words[status] === undefined ? '' : `: ${words[status]}`;
  const message = `${name} cannot be downloaded${why} (HTTP ${status})`;
  if (status === 401 || status === 403) return throughPipe(message, name);
  return new InputError(message, words[status] ? 'check the address' : shell`curl -sSI ${name}`);
}

/** An address that leads elsewhere, where nobody asked svc to go. */
export function redirected(name: string, to: URL | undefined): InputError {
  const where = to === undefined ? 'to no address' : `to another host, ${to.protocol}//${to.host}`;
  return throughPipe(`${name} redirects ${where}, which svc does not follow`, name);
}

export function webPageError(name: string): InputError {
  return new InputError(
    `${name} is a web page (HTML), not a table or JSON`,
    'it may be a page for a login: open it in a browser, and give the address of the file itself',
  );
}

export function encodedError(name: string, encoding: string): InputError {
  const message = `${name} is sent with the encoding ${encoding}, which svc did not ask for`;
  return throughPipe(message, name, shell`curl -fsSL --compressed ${name}`);
}

/** The last of several failures in a row. */
export function failedDownload(
  name: string,
  failure: { readonly error?: TransportError | undefined; readonly text: string },
): SvcError {
  const { error, text } = failure;
  const code = error === undefined ? 'unavailable' : error.reason === 'timeout' ? 'timeout' : 'unreachable';
  const certificate = isCertificateError(error);
  return new SvcError(code, `${name} cannot be downloaded: ${text}`, {
    hint: (invocation) =>
      certificate
        ? `an authority of your own is named by NODE_EXTRA_CA_CERTS=ca.pem ${invocation.rerunWith()}`
        : `what arrived is kept; to go on: ${invocation.rerunWith()}`,
    cause: error,
  });
}

export function interruptedDownload(name: string, kept: string): SvcError {
  return new SvcError('interrupted', `interrupted while ${name} was downloaded; ${kept} are kept`, {
    hint: (invocation) => invocation.rerunWith(),
  });
}

export function diskError(name: string, message: string, cause?: unknown): SvcError {
  return new SvcError('disk', `${name} cannot be stored: ${message}`, {
    hint: (invocation) => `free some space (df -h); what arrived is kept; then: ${invocation.rerunWith()}`,
    cause,
  });
}

/** A failure that another attempt does not change: of a certificate, or of a name that is not known. */
export function isFinal(error: TransportError | undefined): boolean {
  const { code = '' } = (error?.cause ?? {}) as { code?: string };
  return code === 'ENOTFOUND' || isCertificateError(error);
}

function isCertificateError(error: TransportError | undefined): boolean {
  const { code = '' } = (error?.cause ?? {}) as { code?: string };
  return /CERT|SIGNATURE|^ERR_(SSL|TLS)_/.test(code);
}

/** A failure of the connection; undefined for any other error. */
export function connectionError(error: unknown, url: URL): TransportError | undefined {
  if (error instanceof TransportError) return error;
  const { code = '', name = '' } = error as { code?: string; name?: string };
  const isOfConnection = /^(UND_ERR_|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ERR_(SSL|TLS)|HPE_)/.test(code);
  if (!isOfConnection && name !== 'TimeoutError' && name !== 'HTTPParserError') return undefined;
  return toTransportError(error, url, 'GET', true);
}
