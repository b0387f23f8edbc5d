import recorded from './examples.json' with { type: 'json' };

/** A request and its response, recorded from the service by `npm run generate`. */
export interface Example {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly request?: unknown;
  /** The JSON body; the text of a stream; missing if there is none. */
  readonly response?: unknown;
}

/** Examples of operations and deliveries, by the name of the operation or the kind of event. */
export const EXAMPLES: Readonly<Record<string, Example>> = recorded;
