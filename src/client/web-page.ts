/**
 * In words, that a web page came where JSON was due; undefined for anything else. Every body of the service is JSON
 * (specification, "Resources and their fields"), so a page is from something in between: a captive portal, a proxy.
 */
export function webPage(body: string): string | undefined {
  if (!/^\s*<(!doctype html|html)[\s>]/i.test(body)) return undefined;
  const title = /<title[^>]*>\s*([^<]{1,100}?)\s*</i.exec(body)?.[1];
  return `a web page${title === undefined ? '' : ` ("${title}")`} came, which is not from the service itself`;
}
