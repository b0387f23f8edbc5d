import { overridingVariables } from '../../cli/connection/settings.ts';
import { describeOrigin } from '../../cli/invocation/origin.ts';
import type { Settings } from '../../cli/invocation/settings.ts';
import { type Check, ok, warn } from './check.ts';

type Remote = Extract<Settings, { kind: 'remote' }>;

/** What a call would use, and where each part of it came from: once where all is from one place. */
export function checkConfiguration(settings: Remote): Check {
  const { workspace, region, baseUrl, origins, named } = settings;
  const places = new Set(Object.values(origins).map(describeOrigin));
  const [only] = places;
  const from = (setting: keyof Remote['origins']) =>
    places.size > 1 && origins[setting] ? ` (${describeOrigin(origins[setting])})` : '';
  const parts = [
    `workspace ${workspace}${from('workspace')}`,
    `region ${region ?? 'not named'}${from('region')}`,
    `${baseUrl}${from('baseUrl')}`,
    ...(places.size > 1 ? [`key${from('apiKey')}`] : []),
  ].join(', ');
  const seen = places.size > 1 ? parts : `${only}: ${parts}`;
  const before = overridingVariables(settings);
  return before === undefined
    ? ok('configuration', seen)
    : warn(
        'configuration',
        `${seen}; exported variables override profile ${named!.profile} (${named!.by})`,
        `to use profile ${named!.profile} alone: unset ${before.replaceAll(',', '')}`,
      );
}
