// Names of fields that the platform's document does not show but work depends on. Like the paths of
// some operations they can be set in renderline.yaml.

export interface FieldNames {
  /** Fields of the records of GET /models/{modelId}/variants (2.13). */
  readonly variant: {
    readonly id: string;
    readonly name: string;
    /** The list of a variant's materials, and the ids of slot and material in each item. */
    readonly materials: string;
    readonly slot: string;
    readonly material: string;
  };
  /** Fields of the records of GET /models/{modelId}/decal-slots (2.13). */
  readonly slot: { readonly id: string; readonly name: string };
}

/** Names that the sandbox uses. */
export const defaultFieldNames: FieldNames = {
  variant: {
    id: 'variantId',
    name: 'name',
    materials: 'materials',
    slot: 'slotId',
    material: 'materialId',
  },
  slot: { id: 'slotId', name: 'name' },
};
