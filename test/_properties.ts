// Property tests draw the same cases in every run, so that a red test is about the change at hand.
// `PROPERTY_SEED=random` (or a number) draws others.
import fc from 'fast-check';

const seed = process.env['PROPERTY_SEED'] ?? '1';

if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
