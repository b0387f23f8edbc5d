/** The text output of the demo. */

import { bold, cyan, dim, green, type Text } from '../../cli/terminal/text.ts';
import { textField } from '../listen/delivery.ts';
import type { Step } from './run.ts';
import { DECIDE_WITH } from './steps.ts';

interface Chapter {
  readonly title: string;
  readonly about: string;
  readonly facts: readonly Text[];
  /** A command that does the same as this step. */
  readonly try: string;
}

const short = (id: string) => (id.length > 20 ? `${id.slice(0, 12)}…` : id);

/** Renders a step in a few lines of at most 80 columns, with the texts of the default catalog. */
export function narrate(step: Step, number: number): Text {
  const { title, about, facts, try: command } = chapter(step);
  return [
    bold(`${number} ${title}`),
    dim(`  ${about}\n`),
    ...facts.flatMap((fact): Text[] => ['  ', fact, '\n']),
    dim('  try  '),
    cyan(command),
    '\n',
  ];
}

function chapter(step: Step): Chapter {
  switch (step.move) {
    case 'track':
      return {
        title: 'Track',
        about: 'a backend sends what users do',
        facts: [
          `${step.users} users got hashIds, such as ${short(step.hashId)}; names stay in the service`,
          `${step.events} events accepted; the first reached the live stream after ${step.streamMs} ms`,
        ],
        try: 'svc events tail --profile local',
      };
    case 'decide': {
      const { action, alternatives } = step.answer;
      const [excluded] = DECIDE_WITH.guardrails.excludeCategories;
      return {
        title: 'Decide',
        about: 'the next best action for one user, within guardrails',
        facts: [
          [
            green(action.contentId ?? ''),
            ` at ${action.ranking.toFixed(2)}, chosen in ${step.durationMs} ms`,
          ],
          `ranked above ${alternatives
            .map(({ contentId, ranking }) => `${contentId} ${ranking.toFixed(2)}`)
            .slice(0, 2)
            .join(', ')}`,
          `guardrails: not ${excluded}, at most ${DECIDE_WITH.guardrails.maxDailyContacts} contacts a day`,
        ],
        try: 'svc decide --hash-id H --exclude-category security --profile local',
      };
    }
    case 'render':
      return {
        title: 'Render',
        about: 'the app gets the message when the user opens it',
        facts: [[`${step.message.format}: `, green(`“${step.message.title}”`)], `  ${step.message.body}`],
        try: 'svc messages list --hash-id H --profile local',
      };
    case 'notify': {
      const { templateId, channel, history, durationMs, sentBy } = step.notification;
      return {
        title: 'Notify',
        about: 'a template for a hashId; the service fills in the name',
        facts: [
          `${templateId} by ${channel}: ${history.map(({ status }) => status).join(' → ')}${sentBy === 'outbox' ? ' (outbox)' : ''} in ${durationMs} ms`,
        ],
        try: 'svc notify --hash-id H --template welcome --channel sms --profile local',
      };
    }
    case 'call back':
      return {
        title: 'Call back',
        about: 'the user opens, acts and taps; the backend gets signed webhooks',
        facts: [
          ...step.deliveries.map(
            ({ delivery }): Text => [
              green('✓ '),
              `${(delivery.kind ?? '').padEnd(19)}`,
              `${textField(delivery.json, 'contentId') ?? ''}, signature verified`,
            ],
          ),
          `all within ${step.afterMs} ms of the last tap`,
        ],
        try: 'svc webhooks listen --profile local',
      };
  }
}

/** The JSON output of a step; deliveries are reduced to what a script needs. */
export function demoJson(step: Step): Record<string, unknown> {
  if (step.move !== 'call back') return { ...step };
  const deliveries = step.deliveries.map(({ delivery, duplicate }) => ({
    verified: true,
    duplicate,
    body: delivery.json,
  }));
  return { move: step.move, afterMs: step.afterMs, deliveries };
}
