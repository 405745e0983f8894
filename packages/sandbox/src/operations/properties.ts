import { assetTypes } from 'renderline/api/operations/properties';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { refuseInput } from '../http/failure.ts';
import { convertTag } from '../properties/convert-tag.ts';
import {
  assertBelowPropertyLimit,
  createKey,
  isForAssetType,
  listPropertiesInOrder,
  reorder,
  requireProperty,
  toDefinition,
} from '../properties/definitions.ts';
import {
  addOption,
  changeOption,
  isSelectType,
  mergeOptions,
  requireSelect,
} from '../properties/options.ts';
import type { PropertyRecord } from '../state/property-records.ts';
import { requireApiPlan, requireDefinitionRights } from '../workspace/access.ts';

/** Returns the property, which this API key may change. @throws ApiFailure PLAN_LIMIT_REACHED, NOT_FOUND */
function requireEditableProperty(sandbox: Sandbox, propertyId: string): PropertyRecord {
  requireDefinitionRights(sandbox);
  return requireProperty(sandbox.store, propertyId);
}

function requireEditableSelect(sandbox: Sandbox, propertyId: string): PropertyRecord {
  const property = requireEditableProperty(sandbox, propertyId);
  requireSelect(property);
  return property;
}

/** Refuses to change type or date range. @throws ApiFailure VALIDATION_ERROR */
function assertEditable(
  property: PropertyRecord,
  body: { type?: string | undefined; dateRange?: boolean | undefined },
): void {
  for (const field of ['type', 'dateRange'] as const) {
    const value = body[field];
    if (value === undefined || value === property[field]) continue;
    refuseInput(`${field}: is ${property[field]} and cannot change after creation`);
  }
}

export const properties = {
  listProperties: ({ query }, sandbox) => {
    requireApiPlan(sandbox);
    const { assetType, includeArchived } = query;
    return {
      properties: listPropertiesInOrder(sandbox.store)
        .filter((property) => includeArchived || !property.archived)
        .filter((property) => assetType === undefined || isForAssetType(property, assetType))
        .map(toDefinition),
    };
  },

  getProperty: ({ params }, sandbox) => {
    requireApiPlan(sandbox);
    return toDefinition(requireProperty(sandbox.store, params.id));
  },

  createProperty: ({ body }, sandbox) => {
    requireDefinitionRights(sandbox);
    const { store } = sandbox;
    const { name, type, options: labels = [], dateRange = false } = body;
    if (labels.length > 0 && !isSelectType(type)) {
      refuseInput(`options: only select types have options, not ${type}`);
    }
    if (new Set(labels).size < labels.length) {
      refuseInput('options: two options have the same label');
    }
    if (dateRange && type !== 'DATE') {
      refuseInput(`dateRange: only DATE properties can have ranges, not ${type}`);
    }
    assertBelowPropertyLimit(store);
    const property = store.properties.insert({
      id: store.newId('property'),
      name,
      key: createKey(name, new Map(store.properties.all.map(({ key }) => [key, 1]))),
      type,
      appliesTo: assetTypes.filter((assetType) => body.appliesTo?.includes(assetType) ?? true),
      options: labels.map((label, sortOrder) => ({
        id: store.newId('option'),
        label,
        color: null,
        sortOrder,
        archived: false,
      })),
      dateRange,
      archived: false,
      position: Math.max(-1, ...store.properties.all.map(({ position }) => position)) + 1,
    });
    return toDefinition(property);
  },

  updateProperty: ({ params, body }, sandbox) => {
    const property = requireEditableProperty(sandbox, params.id);
    const { store } = sandbox;
    assertEditable(property, body);
    const { name, archived } = body;
    if (name === undefined && archived === undefined) {
      refuseInput('body: nothing to change; send name, or archived: false to restore');
    }
    if (archived === false && property.archived) assertBelowPropertyLimit(store);
    store.properties.update(property, {
      ...(name === undefined ? {} : { name }),
      ...(archived === undefined ? {} : { archived }),
    });
    return toDefinition(property);
  },

  archiveProperty: ({ params }, sandbox) => {
    const property = requireEditableProperty(sandbox, params.id);
    sandbox.store.properties.update(property, { archived: true });
    return toDefinition(property);
  },

  reorderProperties: ({ body }, sandbox) => {
    requireDefinitionRights(sandbox);
    const { store } = sandbox;
    reorder(store, body.ids);
    return {
      properties: listPropertiesInOrder(store)
        .filter(({ archived }) => !archived)
        .map(toDefinition),
    };
  },

  addPropertyOption: ({ params, body }, sandbox) => {
    const property = requireEditableSelect(sandbox, params.propertyId);
    addOption(sandbox.store, property, body.label, body.color ?? null);
    return toDefinition(property);
  },

  updatePropertyOption: ({ params, body }, sandbox) => {
    const property = requireEditableSelect(sandbox, params.propertyId);
    changeOption(sandbox.store, property, params.optionId, body);
    return toDefinition(property);
  },

  mergePropertyOptions: ({ params, body }, sandbox) => {
    const property = requireEditableSelect(sandbox, params.propertyId);
    mergeOptions(sandbox.store, property, body.fromOptionId, body.intoOptionId);
    return toDefinition(property);
  },

  convertTagToPropertyOption: ({ params, body }, sandbox) => {
    const property = requireEditableSelect(sandbox, params.propertyId);
    const { optionId, updated } = convertTag(sandbox.store, property, body.tagId);
    return { property: toDefinition(property), optionId, updated };
  },
} satisfies Partial<Handlers>;
