import { signal } from '@preact/signals';
import type { Catalog } from './schema.ts';

/** A changed catalog that is not stored yet, and the workspace and version that it is based on. */
export interface Draft {
  readonly workspace: string;
  readonly version: number;
  readonly catalog: Catalog;
}

const KEY = 'svc-console-catalog-draft';

/** The draft of this tab; it survives a reload. */
export const draft = signal<Draft | undefined>(stored());

function stored(): Draft | undefined {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Draft | null;
    return found && typeof found.version === 'number' && typeof found.workspace === 'string'
      ? found
      : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the draft; undefined discards it. Leaving the page with one asks. */
export function setDraft(next: Draft | undefined): void {
  draft.value = next;
  try {
    if (next) sessionStorage.setItem(KEY, JSON.stringify(next));
    else sessionStorage.removeItem(KEY);
  } catch {
    // A draft that is too large for the storage is kept in memory alone.
  }
  if (next) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

function ask(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

if (draft.value) addEventListener('beforeunload', ask);
