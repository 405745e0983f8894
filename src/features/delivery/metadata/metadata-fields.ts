// Schema of `metadata`: what an export writes into its pictures. Pure.
import { z } from 'zod';
import { maxValueLength } from '../../../language/fields.ts';
import { digitalSourceTypes, metadataTexts } from '../../../pictures/xmp/xmp-packet.ts';

/** Keywords of one picture. */
export const maxKeywords = 50;

const text = (description: string) =>
  z.string().min(1).max(maxValueLength).meta({ language: 'value', description }).optional();

export const Metadata = z
  .strictObject({
    title: text('Short name of the picture: `dc:title`.'),
    description: text('What the picture shows: `dc:description`.'),
    altText: text(
      'Text for people who do not see the picture: `Iptc4xmpCore:AltTextAccessibility`. IPTC advises at most 250 characters.',
    ),
    creator: text('Who made the picture: `dc:creator`.'),
    copyright: text('Copyright notice: `dc:rights`.'),
    credit: text('Credit line: `photoshop:Credit`.'),
    keywords: z
      .array(z.string().min(1).max(maxValueLength).meta({ language: 'value' }))
      .min(1)
      .max(maxKeywords)
      .optional()
      .describe('Keywords: `dc:subject`. Empty and repeated ones are left out.'),
    sku: text('Identifier of the product: `Iptc4xmpExt:ProductInImage`, `ProductId`.'),
    gtin: text('GTIN of the product: `Iptc4xmpExt:ProductInImage`, `ProductGTIN`.'),
    digitalSourceType: z
      .enum(digitalSourceTypes)
      .optional()
      .describe(
        'How the picture came about, by the vocabulary of IPTC: `Iptc4xmpExt:DigitalSourceType`. `digitalCreation` is what people make with tools that do not generate; Google Merchant Center requires `trainedAlgorithmicMedia` for pictures of generative AI.',
      ),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'names no field: write at least one')
  .describe(
    'Descriptive metadata, written as XMP into pictures and their images; pixels and profiles stay as they are. Texts may hold CEL in double braces, as in `{{ row.name }}`. Fields that are empty for an asset are left out. PDFs, models and videos are not changed.',
  );
export type MetadataOptions = z.output<typeof Metadata>;

/** Continues a sentence; empty without metadata. */
export function formatMetadata(metadata: MetadataOptions | undefined): string {
  const fields = [...metadataTexts, 'keywords', 'digitalSourceType'] as const;
  const named = fields.filter((field) => metadata?.[field] !== undefined);
  return named.length === 0 ? '' : `; writes ${named.join(', ')} into each picture`;
}
