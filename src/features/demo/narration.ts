/** The story of the demo, for people. */

import { bold, cyan, dim, green, type Text } from '../../cli/terminal/text.ts';
import { textField } from '../listen/delivery.ts';
import type { Step } from './run.ts';
import { DECIDE_WITH } from './steps.ts';

interface Chapter {
  readonly title: string;
  readonly about: string;
  readonly facts: readonly Text[];
  /** A command that does the same. */
  readonly try: string;
}

const short = (id: string) => (id.length > 20 ? `${id.slice(0, 12)}…` : id);

/** One move told in a few lines, none longer than 80 columns with the texts of the default catalogue. */
export function narrate(move: Step, number: number): Text {
  const { title, about, facts, try: command } = chapter(move);
  return [
    bold(`${number} ${title}`),
    dim(`  ${about}\n`),
    ...facts.flatMap((fact): Text[] => ['  ', fact, '\n']),
    dim('  try  '),
    cyan(command),
    '\n',
  ];
}

function chapter(move: Step): Chapter {
  switch (move.move) {
    case 'track':
      return {
        title: 'Track',
        about: 'a backend sends what users do',
        facts: [
          `${move.users} users became hashIds, such as ${short(move.hashId)}; no name leaves the service`,
          `${move.events} events accepted; the first was in the live stream after ${move.streamMs} ms`,
        ],
        try: 'svc events tail --profile local',
      };
    case 'decide': {
      const { action, alternatives } = move.answer;
      const [excluded] = DECIDE_WITH.guardrails.excludeCategories;
      return {
        title: 'Decide',
        about: 'the next best action for one user, within guardrails',
        facts: [
          [
            green(action.contentId ?? ''),
            ` at ${action.ranking.toFixed(2)}, chosen in ${move.durationMs} ms`,
          ],
          `before ${alternatives
            .map(({ contentId, ranking }) => `${contentId} ${ranking.toFixed(2)}`)
            .slice(0, 2)
            .join(', ')}`,
          `nothing of ${excluded}, at most ${DECIDE_WITH.guardrails.maxDailyContacts} contacts a day`,
        ],
        try: 'svc decide --hash-id H --exclude-category security --profile local',
      };
    }
    case 'render':
      return {
        title: 'Render',
        about: 'the app picks the message up when the user surfaces',
        facts: [[`${move.message.format}: `, green(`“${move.message.title}”`)], `  ${move.message.body}`],
        try: 'svc messages list --hash-id H --profile local',
      };
    case 'notify': {
      const { templateId, channel, history, durationMs } = move.notification;
      return {
        title: 'Notify',
        about: 'a template for a hashId; the service fills in the name itself',
        facts: [
          `${templateId} by ${channel}: ${history.map(({ status }) => status).join(' → ')} in ${durationMs} ms`,
        ],
        try: 'svc notify --hash-id H --template welcome --channel sms --profile local',
      };
    }
    case 'call back':
      return {
        title: 'Call back',
        about: 'the user opens, acts and taps; the backend hears of it, signed',
        facts: [
          ...move.deliveries.map(
            ({ delivery }): Text => [
              green('✓ '),
              `${(delivery.kind ?? '').padEnd(19)}`,
              `${textField(delivery.json, 'contentId') ?? ''}, signature verified`,
            ],
          ),
          `all within ${move.afterMs} ms of the last tap`,
        ],
        try: 'svc webhooks listen --profile local',
      };
  }
}

/** The same as a line of JSON: deliveries by what a script would look at. */
export function demoJson(move: Step): Record<string, unknown> {
  if (move.move !== 'call back') return { ...move };
  const deliveries = move.deliveries.map(({ delivery, duplicate }) => ({
    verified: true,
    duplicate,
    body: delivery.json,
  }));
  return { move: move.move, afterMs: move.afterMs, deliveries };
}
