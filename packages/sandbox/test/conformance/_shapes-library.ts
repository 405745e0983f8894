// platform.md, section 2 as schemas: library items, properties, production files.
import { z } from 'zod';
import { count, dateTime, id, page, text } from './_shapes.ts';

// 2.13 and 4.9
export const LibraryStatus = z.enum(['PENDING', 'UPLOADING', 'ANALYZING', 'READY', 'FAILED']);
export const Prop = z.strictObject({
  propId: id,
  name: text,
  status: LibraryStatus,
  source: z.enum(['catalog', 'uploaded']),
  fileType: text.nullable(),
  fileSize: count.nullable(),
  collectionId: id.nullable(),
  thumbnailUrl: z.url().nullable(),
  createdAt: dateTime,
});
export const PropPage = z.strictObject({ props: z.array(Prop), ...page });
export const PropsCreated = z.strictObject({
  props: z.array(z.strictObject({ propId: id, name: text, uploadUrl: z.url(), uploadKey: id })),
  errors: z.array(text).min(1).optional(),
});
export const PropConfirmed = z.strictObject({ propId: id, status: LibraryStatus });
export const PropChecks = z.strictObject({
  props: z.array(
    z.strictObject({ propId: id, name: text, status: LibraryStatus, ready: z.boolean() }),
  ),
  allReady: z.boolean(),
  notFound: z.array(text),
});

export const Decal = z.strictObject({
  decalId: id,
  name: text,
  status: LibraryStatus,
  fileType: text,
  width: z.number().nullable(),
  height: z.number().nullable(),
  collectionId: id.nullable(),
  createdAt: dateTime,
});
export const DecalPage = z.strictObject({ decals: z.array(Decal), ...page });
export const DecalsCreated = z.strictObject({
  decals: z.array(
    z.strictObject({
      decalId: id,
      name: text,
      uploadUrl: z.url(),
      uploadKey: id,
      contentType: z.string().regex(/^image\//),
    }),
  ),
  errors: z.array(text).min(1).optional(),
});
export const DecalConfirmed = z.strictObject({ decalId: id, status: z.literal('READY') });
export const DecalChecks = z.strictObject({
  decals: z.array(
    z.strictObject({ decalId: id, name: text, status: LibraryStatus, ready: z.boolean() }),
  ),
  allReady: z.boolean(),
  notFound: z.array(text),
});

export const channels = ['diffuse', 'normal', 'roughness', 'metallic', 'depth', 'opacity'] as const;
export const Material = z.strictObject({
  materialId: id,
  name: text,
  type: text,
  status: text,
  source: text,
  collectionId: id.nullish(),
  thumbnailUrl: z.url().nullable(),
  createdAt: dateTime,
});
export const MaterialPage = z.strictObject({ materials: z.array(Material), ...page });
export const MaterialCreated = z.strictObject({
  materialId: id,
  name: text,
  collectionId: id.nullable(),
  uploads: z.array(z.strictObject({ channel: text, uploadUrl: z.url() })),
  uploadedTypes: z.array(text),
});
export const MaterialConfirmed = z.strictObject({
  materialId: id,
  status: z.literal('processing'),
});
export const MaterialChecks = z.strictObject({
  materials: z.array(
    z.strictObject({
      materialId: id,
      status: z.enum(['processing', 'ready', 'failed']),
      error: text.nullish(),
    }),
  ),
  allReady: z.boolean(),
});

export const ImportPlan = z.strictObject({
  materials: z.array(
    z.strictObject({
      name: z.string().min(1),
      textures: z
        .partialRecord(z.enum(channels), text)
        .refine((textures) => Object.keys(textures).length > 0),
    }),
  ),
  ignored: z.array(text),
  packed: z.array(text),
  unmatched: z.array(text),
  skipped: z.array(text),
  duplicates: z.array(z.strictObject({ file: text, material: text, channel: z.enum(channels) })),
});

// 2.14 and 4.11
export const assetTypes = [
  'MODEL',
  'VARIANT',
  'PROJECT',
  'TEMPLATE',
  'MATERIAL',
  'PROP',
  'RENDER',
  'DECAL',
  'BACKPLATE',
  'STYLE',
] as const;
export const Option = z.strictObject({
  id,
  label: text,
  color: text.nullable(),
  sortOrder: z.number(),
  archived: z.boolean(),
});
export const Property = z.strictObject({
  id,
  name: text,
  key: id,
  type: z.enum(['SELECT', 'MULTI_SELECT', 'TEXT', 'NUMBER', 'DATE']),
  appliesTo: z.array(z.enum(assetTypes)),
  options: z.array(Option).optional(),
  archived: z.boolean(),
  dateRange: z.boolean().optional(),
});
export const Properties = z.strictObject({ properties: z.array(Property) });
export const AssetPage = z.strictObject({
  assetType: z.enum(assetTypes),
  assets: z.array(
    z.strictObject({
      id,
      name: text,
      assetType: z.enum(assetTypes),
      properties: z.unknown(),
    }),
  ),
  ...page,
});

// 2.15 and 4.13
export const ProductionFile = z.strictObject({
  id,
  modelId: id,
  documentNumber: id,
  version: z.int().positive(),
  variantIds: z.array(id).min(1),
  variantNames: z.array(text).min(1),
  createdAt: dateTime,
  createdByUserId: text.nullable(),
  downloadUrl: z.url(),
});
export const ProductionFiles = z.strictObject({ productionFiles: z.array(ProductionFile) });
export const ProductionExport = z.strictObject({
  id: id.nullable(),
  status: z.enum(['CAPTURING', 'READY', 'FAILED']),
  variantIds: z.array(id).min(1),
  capturingVariantIds: z.array(id),
  productionFile: ProductionFile.nullable(),
  reason: text.nullable(),
  createdAt: dateTime,
});
export const ProductionExports = z.strictObject({ exports: z.array(ProductionExport) });
export const ProductionViews = z.strictObject({
  productionViews: z.array(
    z.strictObject({
      variantId: id,
      capturedAt: dateTime,
      captureMode: z.enum(['flat', 'lit']),
      stale: z.boolean(),
    }),
  ),
});
export const ViewsRequested = z.strictObject({
  jobId: id.nullable(),
  dispatched: z.boolean(),
  reason: text.nullish(),
});
export const Preview = z.strictObject({ html: z.string().min(1), warnings: z.array(z.unknown()) });
export const LogoAssignment = z.strictObject({
  variantId: id,
  slotId: id,
  decalId: id,
  imageKey: text.nullable(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  decorationMethod: text.nullable(),
});
const Ink = z.strictObject({
  name: text.nullable(),
  pantoneCode: text.nullable(),
  hex: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/)
    .nullable(),
});
export const Logo = z.strictObject({
  id,
  name: text,
  inks: z.array(Ink),
  spec: z
    .strictObject({
      inks: z.array(Ink),
      colourCount: count.nullable(),
      method: text.nullable(),
      widthIn: z.number().nullable(),
      heightIn: z.number().nullable(),
      warnings: z.array(z.unknown()),
    })
    .optional(),
});
export const PantoneMaterial = z.strictObject({
  id,
  name: text,
  pantoneCode: text.nullable(),
  hex: text.nullable(),
});
