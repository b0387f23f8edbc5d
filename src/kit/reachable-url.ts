/** Replaces a wildcard address (0.0.0.0, [::]) by the loopback address at which the server can be reached. */
export function reachableUrl(url: URL): URL {
  const result = new URL(url);
  if (result.hostname === '0.0.0.0') result.hostname = '127.0.0.1';
  if (result.hostname === '[::]') result.hostname = '[::1]';
  return result;
}
