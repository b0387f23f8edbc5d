/** Masks the password of a URL, both in the authority and in the query. */
export function maskUrl(url: string): string {
  return url
    .replace(/^(\w+:\/\/[^/?#@:]*):[^/?#]*@/, '$1:***@')
    .replace(/([?&](?:password|sslpassword)=)[^&#]*/gi, '$1***');
}
