import type { FunctionComponent } from 'preact';
import { about } from '../data/about.ts';
import type { NavItem } from '../parts/sidebar.tsx';
import { CatalogView } from './catalog/catalog-view.tsx';
import { ContentsView } from './contents/contents-view.tsx';
import { DecisionsView } from './decisions/decisions-view.tsx';
import { FaultsView } from './faults/faults-view.tsx';
import { ImportsView } from './imports/imports-view.tsx';
import { LimitsView } from './limits/limits-view.tsx';
import { LiveView } from './live/live-view.tsx';
import { MessagesView } from './messages/messages-view.tsx';
import { NotificationsView } from './notifications/notifications-view.tsx';
import { ServiceView } from './service/service-view.tsx';
import { UsersView } from './users/users-view.tsx';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

export interface View extends NavItem {
  readonly component: FunctionComponent;
  /** True unless the console cannot show it: then it is left out of the sidebar. */
  readonly shown?: () => boolean;
}

const ofThisMachine = () => about.value?.machine === true;

/** The views in the order of the sidebar. Each gets the rest of its path and its filters from the URL. */
export const VIEWS: readonly View[] = [
  { path: '/live', title: 'Live events', icon: 'live', component: LiveView },
  { path: '/users', title: 'Users', icon: 'user', component: UsersView },
  { path: '/decisions', title: 'Decisions', icon: 'decision', component: DecisionsView },
  { path: '/contents', title: 'Contents', icon: 'content', component: ContentsView },
  { path: '/catalog', title: 'Catalog', icon: 'catalog', component: CatalogView },
  { path: '/messages', title: 'Messages', icon: 'message', component: MessagesView },
  { path: '/notifications', title: 'Notifications', icon: 'bell', component: NotificationsView },
  { path: '/webhooks', title: 'Webhooks', icon: 'hook', component: WebhooksView },
  { path: '/limits', title: 'Limits', icon: 'gauge', component: LimitsView },
  { path: '/imports', title: 'Imports', icon: 'import', component: ImportsView, shown: ofThisMachine },
  { path: '/faults', title: 'Faults', icon: 'warn', component: FaultsView, shown: ofThisMachine },
  { path: '/service', title: 'Service', icon: 'server', component: ServiceView },
];
