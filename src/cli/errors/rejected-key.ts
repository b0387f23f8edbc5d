import type { ApiError } from '../../client/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { describeOrigin, giveKey, giveSetting } from '../invocation/origin.ts';
import type { Settings } from '../invocation/settings.ts';

type Remote = Extract<Settings, { kind: 'remote' }>;

/**
 * Returns the hint for a rejected key (401, 403). A wrong base URL also causes a rejection, so signs of one come first:
 * replacing the key would not help then.
 */
export function rejectedKeyHint({ status, headers }: ApiError): (invocation: Invocation) => string {
  return (invocation) => {
    const { settings } = invocation;
    if (settings === undefined)
      return status === 401
        ? 'check the key: `svc profiles show`, or set SVC_API_KEY'
        : 'check that the workspace and the key belong together: `svc profiles show`';
    const steps = [unsetOverrides(settings), wrongRegion(settings, headers[HEADERS.region], invocation)];
    return [...steps, status === 401 ? replaceKey(settings) : replaceKeyOrWorkspace(settings, invocation)]
      .filter((step) => step !== undefined)
      .join('\n');
  };
}

/** Returns how to unset the variables that override a part of the profile in use. */
function unsetOverrides({ profile, origins }: Remote): string | undefined {
  const set = [origins.baseUrl, origins.workspace, origins.apiKey].filter(
    ({ from }) => from === 'environment',
  );
  if (profile === undefined || set.length === 0) return undefined;
  return `to use what profile ${profile} has, and not what is exported: unset ${set.map(({ name }) => name).join(' ')}`;
}

function wrongRegion(
  { region, origins }: Remote,
  seen: string | undefined,
  invocation: Invocation,
): string | undefined {
  if (region === undefined || seen === undefined || seen === region) return undefined;
  return `the answer came from region ${seen}, not ${region}; if the address is wrong (${invocation.onSameService('doctor')}): ${giveSetting('base-url', 'URL', origins.baseUrl)}`;
}

/** Returns the origin of the key, and how to provide another one. */
function replaceKey({ origins: { apiKey } }: Remote): string {
  return `the key is from ${describeOrigin(apiKey)}; give another: ${giveKey(apiKey.from === 'profile' ? apiKey.name : undefined)}`;
}

/** Returns the origins of workspace and key, and how to change each. */
function replaceKeyOrWorkspace({ workspace, origins }: Remote, invocation: Invocation): string {
  const { apiKey } = origins;
  return (
    `workspace ${workspace} is from ${describeOrigin(origins.workspace)}, the key from ${describeOrigin(apiKey)}; ` +
    `name the workspace of that key: ${invocation.rerunWith('--workspace', 'W')}\n` +
    `or give the key of that workspace: ${giveKey(apiKey.from === 'profile' ? apiKey.name : undefined)}`
  );
}
