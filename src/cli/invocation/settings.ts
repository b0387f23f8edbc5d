import type { Origin } from './origin.ts';

/** The settings that have an origin. */
export type Setting = 'baseUrl' | 'workspace' | 'apiKey' | 'region';

/** The service that calls go to, and the credentials they use. */
export type Settings =
  | {
      readonly kind: 'local';
      /** What selected it: `--profile`, `SVC_PROFILE` or `svc profiles use`. */
      readonly by: string;
    }
  | {
      readonly kind: 'remote';
      /** The selected profile; undefined where environment and flags suffice. */
      readonly profile: string | undefined;
      readonly baseUrl: string;
      readonly workspace: string;
      readonly apiKey: string;
      readonly region: string | undefined;
      readonly sandbox: boolean;
      readonly idempotent: boolean;
      readonly acceptAnyAnswer: boolean;
      readonly eventIds: boolean;
      /** The profile that `--profile` or `SVC_PROFILE` names, even if every setting is overridden. */
      readonly named: { readonly profile: string; readonly by: '--profile' | 'SVC_PROFILE' } | undefined;
      /** The origin of each setting. */
      readonly origins: Readonly<Record<Exclude<Setting, 'region'>, Origin> & { region?: Origin }>;
    };
