// Errors that the engine itself knows, beside the API's, the connectors' and the transfers'.
/** A creating call may or may not have worked, and its key is too old to ask again (design section 3). */
export class OutcomeUnknownError extends Error {
  override name = 'OutcomeUnknownError';
  readonly code = 'OUTCOME_UNKNOWN';
  readonly assets: readonly string[];

  constructor(intent: { operation: string; createdAt: string; assets: readonly string[] }) {
    super(
      `${intent.operation} for ${intent.assets.length} assets was sent at ${intent.createdAt} and its outcome was never seen; ` +
        'its key is no longer safe to repeat. Look on the platform whether the work exists, then run again.',
    );
    this.assets = intent.assets;
  }
}
