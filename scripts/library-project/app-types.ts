// Compiled only: the SDK is for browsers.
import { type App, createApp, type Message } from 'svc-cli/app';

const app: App = createApp({
  baseUrl: 'https://decisions.example.com',
  workspace: 'ws_shop',
  key: 'pk_1',
  user: async () => null,
  action: (message: Message) => ({ label: message.title, url: '/offers' }),
  onAction: () => true,
});
export const shown: Promise<Message | undefined> = app.show({ surface: 'home' });
export const id: Promise<string> = app.track('page_viewed', { path: '/', first: true, count: 1 });
// @ts-expect-error: properties are flat
app.track('page_viewed', { nested: {} });
