// The dimension of views: the same asset with several templates, bookmarks and sizes.
import { z } from 'zod';
import { defineDimension } from '../../engine/grid/dimension.ts';

/** The views in the form of the plan; the fingerprint is that of a view's template and settings. */
const ViewSpec = z.array(z.object({ name: z.string(), fingerprint: z.string() }));
export type ViewSpec = z.output<typeof ViewSpec>;

export const views = defineDimension({
  name: 'view',
  plural: 'views',
  whole: 'an asset',
  refusesRoot:
    'projects of the platform keep their template; views need models from which projects are created',
  spec: ViewSpec,
  count: ({ length }) => length,
  open: (views) => ({
    namesOf: () => views.map(({ name }) => name),
    positionsOf: () => views.map(({ name, fingerprint }) => ({ name, payload: fingerprint })),
  }),
});
