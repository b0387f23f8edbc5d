import { checkWebhookUrl } from '../../../platform/egress/url-policy.ts';
import { fillText } from './fill.ts';
import type { Provider } from './load.ts';
import { FIXED_HOST, ProviderFileError } from './parse.ts';

/**
 * Throws ProviderFileError if requests to a provider would be refused because its host is not public: at the start, and
 * not with the first message. The addresses of a host name are only known when it is called.
 */
export function checkNetwork(provider: Provider, policy: { readonly allowLoopbackWebhooks: boolean }): void {
  if (provider.file.network === 'private') return;
  for (const [path, url] of addressesOf(provider)) {
    const checked = checkWebhookUrl(url, { allowLoopback: policy.allowLoopbackWebhooks });
    if (!checked.ok)
      throw new ProviderFileError(
        `provider ${provider.file.name}: ${path} ${checked.reason}; a provider in your own network needs "network": "private" in its file`,
      );
  }
}

/** Where each URL of a provider file leads, without its path. */
function addressesOf({ file, settings }: Provider): [path: string, url: string][] {
  const { authentication, request } = file;
  const found: [string, string][] = [['request.url', request.url]];
  if ('tokenUrl' in authentication) found.push(['authentication.tokenUrl', authentication.tokenUrl]);
  return found.map(([path, url]) => [path, fillText(FIXED_HOST.exec(url)![1]!, { settings })]);
}
