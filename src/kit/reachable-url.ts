/** The URL at which a server of this machine that listens on every address is reached; of any other server its own. */
export function reachableUrl(url: URL): URL {
  const own = new URL(url);
  if (own.hostname === '0.0.0.0') own.hostname = '127.0.0.1';
  if (own.hostname === '[::]') own.hostname = '[::1]';
  return own;
}
