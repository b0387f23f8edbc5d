/** Bundles the app SDK into `dir`: app.mjs, and app.js with the global `svc`. */
export declare function bundleApp(dir: string): Promise<string[]>;
