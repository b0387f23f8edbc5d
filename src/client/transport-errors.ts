import { TransportError } from './errors.ts';

const UNTRUSTED = 'its certificate is not signed by a trusted authority';

/** Explanations of error codes that do not explain themselves. */
export const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the name server does not respond',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS, but perhaps plain http',
};

/** Explains why no response arrived. `written`: part of the request was written, so that it may have been processed. */
export function toTransportError(
  error: unknown,
  base: URL,
  method: string,
  written: boolean,
): TransportError {
  if (error instanceof TransportError) return error;
  const cause = error as Error & { code?: string };
  const code = cause.code ?? '';
  if (cause.name === 'TimeoutError')
    return new TransportError('timeout', written, `${base.origin} did not respond in time`, error);
  if (cause.name === 'AbortError')
    return new TransportError('aborted', written, 'the request was interrupted', error);
  if (!written) {
    const why = WORDS[code] === undefined ? '' : `: ${WORDS[code]}`;
    return new TransportError(
      'unreachable',
      false,
      `${base.origin} cannot be reached${why} (${code || cause.message})`,
      error,
    );
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW' || cause.name === 'HTTPParserError') {
    return new TransportError(
      'answer',
      true,
      `${base.origin} sent a response that is not HTTP/1.1 or is too large (${code})`,
      error,
    );
  }
  return new TransportError(
    // A read has no effect, so its outcome is not ambiguous.
    method === 'GET' ? 'unreachable' : 'lost',
    true,
    `the connection to ${base.origin} was lost (${code || cause.message})`,
    error,
  );
}
