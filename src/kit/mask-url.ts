/** Query parameters that are a password, a token or a signature, as those of signed addresses of object stores. */
const SECRET =
  'password|sslpassword|token|access_token|sig|signature|x-amz-signature|x-amz-credential|x-amz-security-token|x-goog-signature|x-goog-credential';
const SECRETS = new RegExp(`([?&](?:${SECRET})=)[^&#]*`, 'gi');

/** Masks the password of a URL, both in the authority and in the query, and tokens and signatures in the query. */
export function maskUrl(url: string): string {
  return url.replace(/^(\w+:\/\/[^/?#@:]*):[^/?#]*@/, '$1:***@').replace(SECRETS, '$1***');
}
