/** The URL as it may be shown: the password, in either place where a URL can hold one, is masked. */
export function maskUrl(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^/?#@:]*):[^/?#]*@/, '$1:***@')
    .replace(/([?&](?:password|sslpassword)=)[^&#]*/gi, '$1***');
}
