// Field names that the platform's reference does not show. Like some paths, they can be set in renderline.yaml.

export interface FieldNames {
  /** Fields of each item of GET /models/{modelId}/variants. */
  readonly variant: {
    readonly id: string;
    readonly name: string;
    /** The list of a variant's materials. Each item has the ids `slot` and `material`. */
    readonly materials: string;
    readonly slot: string;
    readonly material: string;
  };
  /** Fields of each item of GET /models/{modelId}/decal-slots. */
  readonly slot: {
    readonly id: string;
    readonly name: string;
    /** The list of the slot's logos. Their fields are those of the response of `setDecorationMethod`. */
    readonly logos: string;
  };
}

/** Names used by the sandbox. */
export const defaultFieldNames: FieldNames = {
  variant: {
    id: 'variantId',
    name: 'name',
    materials: 'materials',
    slot: 'slotId',
    material: 'materialId',
  },
  slot: { id: 'slotId', name: 'name', logos: 'logos' },
};
