import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/** Paths of a certificate (with its chain) and its private key, both PEM. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate and its private key, both PEM. */
export interface TlsKeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The certificate or its key cannot be used. `file` is the one that cannot be read; `cause` says why. */
class TlsUnusable extends Error {
  readonly file: string;
  constructor(message: string, file: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TlsUnusable';
    this.file = file;
  }
}

/** Reads a certificate and its key, and checks that they belong together. Throws TlsUnusable. */
export function readKeyPair({ cert, key }: TlsFiles): TlsKeyPair {
  const pair = { cert: read(cert), key: read(key) };
  if (pair.key.includes('ENCRYPTED'))
    throw new TlsUnusable(`${key} is encrypted with a passphrase, which the service cannot ask for`, key);
  try {
    createSecureContext(pair);
  } catch (error) {
    const { message } = error as Error;
    throw new TlsUnusable(
      `${cert} and ${key} are not a certificate and its private key in PEM form: ${message}`,
      cert,
      error,
    );
  }
  return pair;
}

/** Like `readKeyPair`, to replace a pair that is in use: throws also if the certificate is not valid at `now`, Unix ms. */
export function readNextKeyPair(files: TlsFiles, now: number): TlsKeyPair {
  const pair = readKeyPair(files);
  const invalid = invalidityOf(files, pair, now);
  if (invalid) throw new TlsUnusable(invalid, files.cert);
  return pair;
}

/** What is wrong with a certificate that is not valid at `now`, Unix ms, no longer or not yet. */
export function invalidityOf({ cert }: TlsFiles, pair: TlsKeyPair, now: number): string | undefined {
  const { validFrom, validTo } = new X509Certificate(pair.cert);
  if (Date.parse(validTo) < now) return `the certificate in ${cert} has expired: ${validTo}`;
  return Date.parse(validFrom) > now
    ? `the certificate in ${cert} is not valid before ${validFrom}`
    : undefined;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new TlsUnusable(`${path}: ${(error as Error).message}`, path, error);
  }
}
