/**
 * rolldown plugins that shorten the start of every command. Both change packages only in what they load, not in what
 * they do; bench/start-up.ts shows their effect.
 */

/**
 * Loads each module of oclif when it is first used. Its parser requires help, templates, spinners and readline, which
 * take longer to load than a command takes to run, and uses them in rare cases.
 */
export const lazyOclif = {
  name: 'lazy-oclif',
  transform: {
    filter: { id: /@oclif[\\/]core[\\/]lib[\\/].*\.js$/ },
    handler: (code) => ({
      code: code.replace(
        /^const (\w+) = ((?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?);$/gm,
        'const $1 = new Proxy({}, { get: (loaded, name) => (loaded.module ??= $2)[name] });',
      ),
      map: null,
    }),
  },
};

/**
 * Leaves out node:http2, which undici requires although svc speaks HTTP/1.1 only. undici does without it where requiring
 * it throws, as in a Node.js built without it.
 */
export const withoutHttp2 = {
  name: 'without-http2',
  transform: {
    filter: { id: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ },
    handler: (code) => {
      const REQUIRED = "http2 = require('node:http2')";
      if (!code.includes(REQUIRED)) throw new Error('undici requires node:http2 in another way than before');
      return { code: code.replace(REQUIRED, "throw new Error('HTTP/2 is not used')"), map: null };
    },
  },
};
