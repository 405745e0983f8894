import { defineFeature } from '../../engine/feature.ts';
import { cancelRenders } from './cancel-renders.ts';
import { jobIdFields, renderFailures } from './failures.ts';
import { ownOutputs } from './own-outputs.ts';
import { renderIdRules } from './platform-ids.ts';
import { render } from './render.ts';
import { renderComplete } from './render-complete.ts';

/** Renders projects as stills and videos. */
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
  idRules: renderIdRules,
  failures: [renderFailures],
  ownership: ownOutputs,
});
