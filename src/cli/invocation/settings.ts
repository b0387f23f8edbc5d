import type { Origin } from './origin.ts';

/** A setting of a call. */
export type Setting = 'baseUrl' | 'workspace' | 'apiKey' | 'region';

/** Where calls go and as whom. */
export type Settings =
  | {
      readonly kind: 'local';
      /** What chose it: `--profile`, `SVC_PROFILE` or `svc profiles use`. */
      readonly by: string;
    }
  | {
      readonly kind: 'remote';
      /** The profile that is in use or named; undefined where the environment and flags suffice. */
      readonly profile: string | undefined;
      readonly baseUrl: string;
      readonly workspace: string;
      readonly apiKey: string;
      readonly region: string | undefined;
      readonly sandbox: boolean;
      readonly keysHonoured: boolean;
      /** What `--profile` or `SVC_PROFILE` names, also where it gives nothing. */
      readonly named: { readonly profile: string; readonly by: '--profile' | 'SVC_PROFILE' } | undefined;
      /** Of each setting that there is. */
      readonly origins: Readonly<Record<Exclude<Setting, 'region'>, Origin> & { region?: Origin }>;
    };
