/** Static headers of a subscription: at most so many. */
const MAX_HEADERS = 20;
/** A name of a header (RFC 9110, token), and a value without control characters. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;
/** What a delivery has itself, and what is between two hops or frames the body. */
const TAKEN =
  /^(?:accept-encoding|connection|content-.*|date|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|traceparent|tracestate|upgrade|user-agent|webhook-.*|x-service-.*)$/i;

/** What is wrong with static headers, and with which; undefined if nothing is. Never says a value. */
export function wrongHeader(
  headers: Readonly<Record<string, string>>,
): { readonly name: string | undefined; readonly message: string } | undefined {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS)
    return { name: undefined, message: `must be at most ${MAX_HEADERS} headers` };
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const wrong = (message: string) => ({ name, message });
    if (!NAME.test(name)) return wrong('is not a name of a header');
    if (TAKEN.test(name)) return wrong('is a header that the service or the connection sets');
    if (seen.has(name.toLowerCase())) return wrong('is there twice');
    if (!VALUE.test(value))
      return wrong('has a value that is not of printable ASCII characters, or begins or ends with a space');
    seen.add(name.toLowerCase());
  }
  return undefined;
}
