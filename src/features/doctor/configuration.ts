import { overridingVariables } from '../../cli/connection/settings.ts';
import { describeOrigin } from '../../cli/invocation/origin.ts';
import type { Settings } from '../../cli/invocation/settings.ts';
import { LOCAL } from '../../profiles/profiles.ts';
import { type Check, ok, warn } from './check.ts';

type Remote = Extract<Settings, { kind: 'remote' }>;

/** Reports the settings in effect and their sources. A common source is named once. */
export function checkConfiguration(settings: Remote): Check {
  const { workspace, region, baseUrl, origins, named } = settings;
  const sources = new Set(Object.values(origins).map(describeOrigin));
  const [only] = sources;
  const from = (setting: keyof Remote['origins']) =>
    sources.size > 1 && origins[setting] ? ` (${describeOrigin(origins[setting])})` : '';
  const parts = [
    `workspace ${workspace}${from('workspace')}`,
    `region ${region ?? 'not set'}${from('region')}`,
    `${baseUrl}${from('baseUrl')}`,
    ...(sources.size > 1 ? [`key${from('apiKey')}`] : []),
  ].join(', ');
  const seen = sources.size > 1 ? parts : `${only}: ${parts}`;
  const unknown = named !== undefined && named.profile !== LOCAL && settings.profile === undefined;
  if (unknown)
    return warn(
      'configuration',
      `${seen}; there is no profile ${named.profile} (${named.by})`,
      named.by === 'SVC_PROFILE' ? 'unset SVC_PROFILE' : 'list the profiles: svc profiles list',
    );
  const overriding = overridingVariables(settings);
  return overriding === undefined
    ? ok('configuration', seen)
    : warn(
        'configuration',
        `${seen}; environment variables override profile ${named!.profile} (${named!.by})`,
        `to use only profile ${named!.profile}: unset ${overriding.replaceAll(',', '')}`,
      );
}
