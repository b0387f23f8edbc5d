/** An IP literal, or a registered name, and a port (RFC 9110, 7.2; RFC 3986, 3.2.2). */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/**
 * True if a Host header has the grammar of one. Any other may change what a request is for once it is part of a URL: a
 * backslash, for example, begins the path.
 */
export function isHostHeader(value: string): boolean {
  return HOST.test(value);
}
