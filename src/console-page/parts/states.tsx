import type { ComponentChildren, VNode } from 'preact';
import { ApiError, UNREACHABLE } from '../data/api.ts';
import { Command } from './command.tsx';
import { Text } from './text.tsx';

/** Shown while the first answer is awaited. */
export function Loading({ what }: { what: string }): VNode {
  return (
    <div class="state loading">
      <p role="status">Loading {what}…</p>
      <span class="skeleton" aria-hidden="true" />
      <span class="skeleton" aria-hidden="true" />
      <span class="skeleton" aria-hidden="true" />
    </div>
  );
}

/** Nothing is there: why, and how to get data. */
export function Empty(props: { title: string; command?: string; children?: ComponentChildren }): VNode {
  return (
    <div class="state">
      <p class="state-title">{props.title}</p>
      {props.children}
      {props.command && <Command line={props.command} />}
    </div>
  );
}

/**
 * Why something could not be shown or done, in the words of the service, and a button to try again. `retry` is for what is
 * loaded: that is loaded without it where only the rate limit or the service is waited for.
 */
export function Failure({ error, retry }: { error: Error; retry?: () => void }): VNode {
  if (error instanceof ApiError && error.reason === 'not_offered')
    return (
      <div class="state" role="status">
        <p class="state-title">This service does not offer it</p>
        <p>
          Its version, or the key of this console, does not have what this part shows. The others are not
          affected.
        </p>
      </div>
    );
  // How to start it is said at the head of the page.
  if (retry && error instanceof ApiError && error.reason === UNREACHABLE)
    return (
      <div class="state" role="status">
        <p class="state-title">Waiting for the service</p>
      </div>
    );
  if (retry && error instanceof ApiError && error.retryAfterMs !== undefined)
    return (
      <div class="state" role="status">
        <p class="state-title">Waiting for the rate limit</p>
        <p>
          <Text of={error.message} />
        </p>
      </div>
    );
  const details = error instanceof ApiError ? error.details : [];
  return (
    <div class="state failure" role="alert">
      <p class="state-title">That did not work</p>
      <p>
        <Text of={error.message} />
      </p>
      {details.length > 0 && (
        <ul>
          {details.slice(0, 20).map(({ field, message }) => (
            <li>
              <code>
                <Text of={field} />
              </code>{' '}
              <Text of={message} />
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
