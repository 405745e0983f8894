// The part of an earlier run that a rerun repeats. Part of the run's input.

/** Assets of an earlier run to repeat. Discovery selects them, since a list of their keys could be long. */
export interface Rerun {
  of: string;
  /** Set if the earlier run had not ended. Only its failed assets are chosen, because their results are final. */
  open?: true;
  /** True for only failed assets. False for all assets that were not delivered. */
  failed: boolean;
  /** CEL over the undelivered assets. Null means all of them. */
  where: string | null;
  /** `pinned`: the plan of the earlier run. `latest`: the plan of the file at the time of the rerun. */
  plan: 'pinned' | 'latest';
}

/** Formats `failed assets of RUN, where …, with the plan of that run` */
export function formatRerunSelection({ of, failed, where, plan }: Rerun): string {
  const subject = failed ? 'failed assets' : 'undelivered assets';
  const condition = where === null ? '' : `, where ${where}`;
  const planText = plan === 'pinned' ? 'with the plan of that run' : 'with the current file';
  return `${subject} of ${of}${condition}, ${planText}`;
}
