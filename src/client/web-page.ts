/** A page says within so many characters what it is. */
const HEAD = 4096;

/**
 * In words, that a web page came where JSON was due; undefined for anything else. Every body of the service is JSON
 * (specification, "Resources and their fields"), so a page is from something in between: a captive portal, a proxy.
 */
export function webPage(body: string): string | undefined {
  const head = body.slice(0, HEAD);
  if (!/^\s*<(!doctype html|html)[\s>]/i.test(head)) return undefined;
  // Each part has an end: a page may be made to keep a pattern busy.
  const title = /<title[^>]{0,100}>([^<]{1,100})/i.exec(head)?.[1]?.trim().replace(/\s+/g, ' ');
  return `a web page${title ? ` ("${title}")` : ''} came, which is not from the service itself`;
}
