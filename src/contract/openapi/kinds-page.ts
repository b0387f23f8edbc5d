import { EVENT_KINDS } from '../event-kind-names.ts';
import { exampleBody, KINDS_OF_EVENTS, TAP_KINDS } from '../event-kinds.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');

/** Generates docs/reference/webhook-kinds.md: every kind of event with its meaning and an example of its body. */
export function kindsPage(): string {
  return [
    '# Kinds of events',
    '<!-- Made by `npm run generate` from src/contract/event-kinds.ts. -->',
    `What a webhook subscription can name with \`--event\`, field \`events\`. With \`svc\`, without a name and for \`'*'\`, a subscription gets ${TAP_KINDS.map((kind) => `\`${kind}\``).join(', ')} alone; every other kind goes only to those who name it, from then on: it is not kept while no subscription of the workspace, active or disabled, names it.`,
    'A name is `what.became_of_it`. A notification has a kind for each state that it enters, once for each line of its history. Everything of a kind is stored in the transaction that it tells of, with its deliveries: neither is there without the other. A body has no personal data, only hashed identifiers. All kinds have the same fields first; one that does not apply is empty. To try a handler with a kind: `svc webhooks send KIND --to URL`.',
    ...EVENT_KINDS.map((kind) =>
      [
        `## ${kind}\n`,
        `${KINDS_OF_EVENTS[kind].meaning}\n`,
        '```json',
        JSON.stringify(exampleBody(kind, 'dlv_example', AT), null, 2),
        '```',
      ].join('\n'),
    ),
  ].join('\n\n');
}
