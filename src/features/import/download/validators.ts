/** What a server says of a version of a file. */
export interface Version {
  /** Null if it is not known. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Bytes of the whole file. */
  readonly size: number | null;
  readonly contentType: string;
  /** The file was changed at least a second before the answer, so that its time names one version (RFC 9110, 8.8.2.2). */
  readonly exactTime: boolean;
}

type Headers = Readonly<Record<string, string>>;

/** Reads the version in the headers of a 200 or 206. They are untrusted, and sent again. */
export function versionOf(headers: Headers): Version {
  const etag = headers.etag ?? '';
  const lastModified = headers['last-modified'] ?? '';
  const changedAt = Date.parse(lastModified);
  const isTime = /^[\x20-\x7e]{1,64}$/.test(lastModified) && !Number.isNaN(changedAt);
  return {
    etag: /^(W\/)?"[\x21\x23-\x7e]{0,512}"$/.test(etag) ? etag : null,
    lastModified: isTime ? lastModified : null,
    size: sizeOf(headers),
    contentType: /^[\w.+-]+\/[\w.+-]+/.exec(headers['content-type'] ?? '')?.[0].toLowerCase() ?? '',
    exactTime: isTime && Date.parse(headers.date ?? '') - changedAt >= 1000,
  };
}

/** Where the part of a 206 begins; undefined if that cannot be told. */
export function startOf(headers: Headers): number | undefined {
  const [, start] = /^bytes (\d{1,15})-/.exec(headers['content-range'] ?? '') ?? [];
  return start === undefined ? undefined : Number(start);
}

function sizeOf(headers: Headers): number | null {
  const range = headers['content-range'];
  const text = range === undefined ? headers['content-length'] : /\/(\d+)$/.exec(range)?.[1];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** What makes a server send the rest of this version only (RFC 9110, 13.1.5); undefined if nothing does. */
export function ifRange({ etag, lastModified, exactTime }: Version): string | undefined {
  if (etag !== null && !etag.startsWith('W/')) return etag;
  return lastModified !== null && exactTime ? lastModified : undefined;
}

/** The headers by which a server sends nothing if this is still the version. */
export function ifChanged({ etag, lastModified }: Version): Record<string, string> {
  if (etag !== null) return { 'if-none-match': etag };
  return lastModified === null ? {} : { 'if-modified-since': lastModified };
}

/** Returns whether two answers are about the same version, as far as they say. */
export function isSameVersion(a: Version, b: Version): boolean {
  if (a.size !== null && b.size !== null && a.size !== b.size) return false;
  return a.etag === b.etag && a.lastModified === b.lastModified;
}
