import fc from 'fast-check';

/**
 * Property tests draw the same values in every run, so that a run which passes says that the next one passes too.
 * `SVC_PROPERTY_SEED=random` (or a number) draws others: `npm run test:chaos` does,
 * to find what nobody thought of. A failure names its seed.
 */
const wanted = process.env.SVC_PROPERTY_SEED ?? '1';
const seed = wanted === 'random' ? Date.now() % 2 ** 31 : Number(wanted);
if (!Number.isInteger(seed)) throw new Error(`SVC_PROPERTY_SEED is ${wanted}; it is an integer or "random"`);
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
