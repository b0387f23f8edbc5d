/** Schemas of the requests and responses, from `specification.md` and `docs/design-choices.md`. */
export * from './schemas/catalog.ts';
export * from './schemas/clock.ts';
export * from './schemas/contents.ts';
export * from './schemas/decisions.ts';
export * from './schemas/errors.ts';
export * from './schemas/events.ts';
export * from './schemas/exports.ts';
export * from './schemas/messages.ts';
export * from './schemas/notifications.ts';
export * from './schemas/overview.ts';
export * from './schemas/timeline.ts';
export * from './schemas/trends.ts';
export * from './schemas/users.ts';
export * from './schemas/webhooks.ts';
