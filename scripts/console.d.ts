/** Bundles the page of the console into `dir`. Resolves with the paths of the bundled files. */
export function bundleConsole(dir: string): Promise<string[]>;
