import { core } from './001-core.ts';
import { decisions } from './002-decisions.ts';
import { notificationsAndWebhooks } from './003-notifications-and-webhooks.ts';
import { postgresLimiter } from './004-postgres-limiter.ts';
import { pieces } from './005-pieces.ts';
import { dueInReach } from './006-due-in-reach.ts';
import { servedDecisions } from './007-served-decisions.ts';
import { byWorkspace } from './008-by-workspace/index.ts';
import { keys } from './009-keys.ts';
import { repeats } from './010-repeats.ts';
import { addressTables } from './011-addresses.ts';
import { receiptTables } from './012-receipts.ts';
import { consentTables } from './013-consent.ts';
import { erasureTables } from './014-erasure.ts';
import { clientKeys } from './015-client-keys.ts';
import { lists } from './016-lists.ts';
import { receiptAges } from './017-receipt-ages.ts';
import { catalogVersionTables } from './018-catalog-versions.ts';
import { timelinesAndCounts } from './019-timelines-and-counts.ts';
import { retentionTables } from './020-retention.ts';
import { earned } from './021-earned.ts';
import { grownData } from './022-grown-data.ts';
import { traces } from './023-traces.ts';
import { explanations } from './024-explanations.ts';
import { nodeTable } from './025-nodes.ts';
import { attributes } from './026-attributes.ts';
import { distribution } from './027-distribution.ts';
import { sendsByAddress } from './028-sends-by-address.ts';
import { keyNames } from './029-key-names.ts';
import { erasing } from './030-erasing.ts';
import type { Migration } from './migration.ts';

/** All migrations, ordered by number. */
export const MIGRATIONS: readonly Migration[] = [
  core,
  decisions,
  notificationsAndWebhooks,
  postgresLimiter,
  pieces,
  dueInReach,
  servedDecisions,
  byWorkspace,
  keys,
  repeats,
  addressTables,
  receiptTables,
  consentTables,
  erasureTables,
  clientKeys,
  lists,
  receiptAges,
  catalogVersionTables,
  timelinesAndCounts,
  retentionTables,
  earned,
  grownData,
  traces,
  explanations,
  nodeTable,
  attributes,
  distribution,
  sendsByAddress,
  keyNames,
  erasing,
];

/** The schema version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.id;
