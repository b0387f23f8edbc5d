import type { FunctionComponent } from 'preact';
import { about } from '../data/about.ts';
import type { KeyedView } from '../parts/keys.tsx';
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
import { OverviewView } from './overview/overview-view.tsx';
import { ServiceView } from './service/service-view.tsx';
import { UsersView } from './users/users-view.tsx';
import { WebhooksView } from './webhooks/webhooks-view.tsx';

export interface View extends NavItem, KeyedView {
  readonly component: FunctionComponent;
  /** True unless the console cannot show it: then it is left out of the sidebar. */
  readonly shown?: () => boolean;
}

const ofThisMachine = () => about.value?.machine === true;

/** The views in the order of the sidebar. Each gets the rest of its path and its filters from the URL. */
export const VIEWS: readonly View[] = [
  { path: '/overview', title: 'Overview', key: 'o', icon: 'overview', component: OverviewView },
  { path: '/live', title: 'Live events', key: 'l', icon: 'live', component: LiveView },
  { path: '/users', title: 'Users', key: 'u', icon: 'user', component: UsersView },
  { path: '/decisions', title: 'Decisions', key: 'd', icon: 'decision', component: DecisionsView },
  { path: '/contents', title: 'Contents', key: 'c', icon: 'content', component: ContentsView },
  { path: '/catalog', title: 'Catalog', key: 'k', icon: 'catalog', component: CatalogView },
  { path: '/messages', title: 'Messages', key: 'm', icon: 'message', component: MessagesView },
  { path: '/notifications', title: 'Notifications', key: 'n', icon: 'bell', component: NotificationsView },
  { path: '/webhooks', title: 'Webhooks', key: 'w', icon: 'hook', component: WebhooksView },
  { path: '/limits', title: 'Limits', key: 't', icon: 'gauge', component: LimitsView },
  {
    path: '/imports',
    title: 'Imports',
    key: 'i',
    icon: 'import',
    component: ImportsView,
    shown: ofThisMachine,
  },
  { path: '/faults', title: 'Faults', key: 'f', icon: 'warn', component: FaultsView, shown: ofThisMachine },
  { path: '/service', title: 'Service', key: 's', icon: 'server', component: ServiceView },
];
