// Names of fields that the platform's document does not show and that work cannot do without. Like the
// paths of some operations they can be set in renderline.yaml.

export interface FieldNames {
  /** Of the records that GET /models/{modelId}/variants gives (2.13). */
  readonly variant: {
    readonly id: string;
    readonly name: string;
    /** List of what the variant wears, and in each of its items the ids of slot and material. */
    readonly materials: string;
    readonly slot: string;
    readonly material: string;
  };
  /** Of the records that GET /models/{modelId}/decal-slots gives (2.13). */
  readonly slot: { readonly id: string; readonly name: string };
}

/** As the sandbox names them. */
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
