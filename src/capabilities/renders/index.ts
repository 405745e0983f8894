import { defineFeature } from '../../machinery/capability.ts';
import { cancelRenders } from './cancel.ts';
import { renderFailures } from './failures.ts';
/** Renders projects as stills and videos. */
import { ownOutputs } from './own.ts';
import { renderIdSlice } from './refs.ts';
import { render } from './render.ts';
import { renderComplete } from './render-complete.ts';
import { jobIdFields } from './render-ends.ts';

export const renders = defineFeature({
  name: 'renders',
  nodes: [render, renderComplete],
  cancel: cancelRenders,
  existenceChecks: [
    [
      'jobId',
      (client, { jobId = '' }, options) => client.getRenderJob({ params: { jobId } }, options),
      jobIdFields,
    ],
  ],
  idRules: renderIdSlice,
  failures: [renderFailures],
  ownership: ownOutputs,
});
