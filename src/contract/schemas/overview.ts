import * as z from 'zod/mini';
import { about, beyond, named, time } from '../parts.ts';

const hours = (description: string) =>
  about(`${description} By hour, the oldest of 24 first.`, z.array(z.int()));
const count = (description: string) => about(description, z.int());

export const OverviewAnswer = named(
  'OverviewAnswer',
  'What happened in the workspace in this hour and the 23 before.',
  beyond(
    z.object({
      at: time('When it was counted.'),
      from: time(
        'The beginning of the first hour: all are hours of the clock (UTC), the last of which has not ended.',
      ),
      before: about(
        'What happened in the same time a day earlier.',
        z.object({
          events: count('Events received.'),
          decisions: about('Decisions made; null for 20,000 or more.', z.nullable(z.int())),
        }),
      ),
      events: about(
        'Events.',
        z.object({
          stored: count('Events that were ever received: the number of the newest one.'),
          byHour: hours('Events received.'),
        }),
      ),
      decisions: about(
        'Decisions.',
        z.object({
          byHour: hours('Decisions made.'),
          latency: about(
            'How long the latest answers took in the process that answers, up to 1,000; null before the first.',
            z.nullable(
              z.object({
                answers: count('How many they are.'),
                p50Ms: count('Within how many milliseconds half of them were given.'),
                p95Ms: count('The same of 95 %.'),
                p99Ms: count('The same of 99 %.'),
              }),
            ),
          ),
          counted: about(
            'Decisions that count, by what made the choice.',
            z.object({
              learned: count('Chosen by learned beliefs.'),
              holdout: count('Chosen evenly, for users of the holdout group.'),
              weights: count('Chosen by fixed weights.'),
            }),
          ),
        }),
      ),
      messages: about(
        'Messages.',
        z.object({
          servedByHour: hours(
            'Decisions that count: their message was served, or their channel is not polled.',
          ),
          rewarded: count('Of those served, the ones that were clicked or actioned.'),
          waiting: about(
            'The messages that wait for an app or for an answer, up to 5,000, by content, the most first.',
            z.array(
              named(
                'WaitingMessages',
                'The messages of a content that wait.',
                z.object({
                  contentId: about('The content.', z.string()),
                  unseen: count('Those that no app has fetched yet.'),
                  seen: count('Those that an app has fetched, and that are not answered.'),
                }),
              ),
            ),
          ),
          tappedByHour: hours('Outcomes `clicked` and `actioned`, by the time of the outcome.'),
        }),
      ),
      notifications: about(
        'Notifications by their state, in the hour in which they were triggered.',
        z.object({
          queued: hours('Those that are queued.'),
          held: hours('Those that are held.'),
          dispatched: hours('Those that were dispatched.'),
          delivered: hours('Those that were delivered.'),
          failed: hours('Those that failed.'),
          cancelled: hours('Those that were cancelled.'),
        }),
      ),
      deliveries: about(
        'Deliveries to subscriptions by their state, in the hour of their occasion.',
        z.object({
          pending: hours('Those that are pending.'),
          delivered: hours('Those that were delivered.'),
          failed: hours('Those that failed.'),
          attempts: count('Attempts, as the trend of deliveries has them for a day.'),
          attemptsSucceeded: count('Of these, those that were answered with a status from 200 to 299.'),
          lastHour: about(
            'The attempts of about the last hour by subscription; those without an attempt are left out.',
            z.array(
              named(
                'LatestAttempts',
                'How the latest attempts of a subscription went.',
                z.object({
                  webhookId: about('Identifier of the subscription.', z.string()),
                  attempts: count('Attempts.'),
                  delivered: count('Of these, those that were answered with a status from 200 to 299.'),
                }),
              ),
            ),
          ),
          p95Ms: about(
            'Within about how many milliseconds 95 % of those that were answered were; null without any.',
            z.nullable(z.int()),
          ),
        }),
      ),
      providers: about(
        'The channels with a provider, of a live workspace.',
        z.array(
          named(
            'ProviderState',
            'What the latest 200 notifications of each state say of a provider.',
            z.object({
              channel: about('The channel.', z.string()),
              lastSuccessAt: about('When it last took one of these; null for none.', z.nullable(z.string()), {
                format: 'date-time',
              }),
              lastFailureAt: about(
                'When one of these failed that it was asked to send, or may have been; null for none.',
                z.optional(z.nullable(z.string())),
                { format: 'date-time' },
              ),
              waiting: count('How many are queued after three attempts or more.'),
            }),
          ),
        ),
      ),
      has: about(
        'Which data the workspace has at all.',
        z.object({
          users: about('Whether users are stored.', z.boolean()),
          webhooks: about('Whether there are subscriptions.', z.boolean()),
        }),
      ),
      lastBackupAt: about(
        'When the last backup of the database was made; null if none was.',
        z.nullable(z.string()),
        { format: 'date-time' },
      ),
      capped: about(
        'True if a count may be more: an hour or a state has 20,000 entries or more, of which the newest were counted.',
        z.boolean(),
      ),
    }),
  ),
);
