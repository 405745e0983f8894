import { defineCapability } from '../../machinery/capability.ts';
import { cancelRenders } from './cancel.ts';
import { renderFailures } from './failures.ts';
/** Renders projects as stills and videos. */
import { ownRenders } from './own.ts';
import { renderRefs } from './refs.ts';
import { render } from './render.ts';
import { renderComplete } from './render-complete.ts';
import { jobRefs } from './render-ends.ts';

export const renders = defineCapability({
  name: 'renders',
  nodes: [render, renderComplete],
  cancel: cancelRenders,
  reads: [
    [
      'jobId',
      (client, { jobId = '' }, options) => client.getRenderJob({ params: { jobId } }, options),
      jobRefs,
    ],
  ],
  refs: renderRefs,
  failures: [renderFailures],
  own: ownRenders,
});
