// Property tests use the same cases in every run, so that a failure comes from the change at hand.
// `PROPERTY_SEED=random` (or a number) uses other cases.
import fc from 'fast-check';

const seed = process.env['PROPERTY_SEED'] ?? '1';

if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
