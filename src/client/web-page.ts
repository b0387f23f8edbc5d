/** The number of characters that are searched. */
const HEAD = 4096;

/**
 * Describes a web page that was received instead of JSON; undefined for any other body. Every body of the service is
 * JSON (specification, "Resources and their fields"), so a page comes from something in between: a captive portal, a proxy.
 */
export function webPage(body: string): string | undefined {
  const head = withoutProlog(body.slice(0, HEAD));
  if (!/^<(!doctype html|html)[\s>]/i.test(head)) return undefined;
  // Each part is bounded: a hostile page must not make the pattern slow.
  const title = /<title[^>]{0,100}>([^<]{1,100})/i.exec(head)?.[1]?.trim().replace(/\s+/g, ' ');
  return `the response is a web page${title ? ` ("${title}")` : ''} that is not from the service`;
}

/** Removes what may precede a page: white space, a byte order mark, comments and XML declarations. */
function withoutProlog(head: string): string {
  let rest = head.trimStart();
  for (;;) {
    const closing = rest.startsWith('<!--') ? '-->' : rest.startsWith('<?') ? '?>' : undefined;
    const end = closing === undefined ? -1 : rest.indexOf(closing, closing.length);
    if (end < 0) return rest;
    rest = rest.slice(end + closing!.length).trimStart();
  }
}
