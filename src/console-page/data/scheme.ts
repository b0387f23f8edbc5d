const KEY = 'svc-console-scheme';

/** Sets the scheme that the reader chose earlier on this machine; else the browser's preference holds. */
export function restoreScheme(): void {
  const scheme = localStorage.getItem(KEY);
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme;
}

/** Sets a scheme, and keeps it for this machine. */
export function chooseScheme(scheme: 'light' | 'dark'): void {
  document.documentElement.dataset.scheme = scheme;
  localStorage.setItem(KEY, scheme);
}
