import { defineCapability } from '../../machinery/capability.ts';
import { cancelRenders } from './cancel.ts';
import { render } from './render.ts';
import { renderComplete } from './render-complete.ts';

/** Projects are drawn: stills and videos. */
export const renders = defineCapability({
  name: 'renders',
  nodes: [render, renderComplete],
  cancel: cancelRenders,
  reads: [
    [
      'jobId',
      (client, { jobId = '' }, options) => client.getRenderJob({ params: { jobId } }, options),
    ],
  ],
});
