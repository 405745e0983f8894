// The colorways of models in the form of the plan.
import { z } from 'zod';
import { SwapRule } from '../../slots/swap-rule.ts';

const columnName = z.string().optional();

export const ColorwaySpec = z.discriminatedUnion('from', [
  z.object({
    from: z.literal('list'),
    colorways: z.array(
      z.object({ name: z.string(), rules: z.array(SwapRule), where: z.string().nullable() }),
    ),
  }),
  z.object({
    from: z.literal('table'),
    connector: z.string(),
    path: z.string(),
    matchMode: SwapRule.shape.matchMode,
    /** Names of the table's columns. @default the default names */
    columns: z
      .object({
        model: columnName,
        tag: columnName,
        colorway: columnName,
        slot: columnName,
        material: columnName,
      })
      .optional(),
    /** Tags that the pipeline uses to select its models (`tagIds`). Absent if it does not select by tag. */
    tags: z.array(z.string()).optional(),
  }),
]);
export type ColorwaySpec = z.output<typeof ColorwaySpec>;
