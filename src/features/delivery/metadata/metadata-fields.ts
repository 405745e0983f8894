import { z } from 'zod';
import { maxValueLength } from '../../../language/fields.ts';
import { iimLimits } from '../../../pictures/metadata/metadata-packets.ts';
import { digitalSourceTypes, metadataTexts } from '../../../pictures/metadata/xmp-packet.ts';

/** Maximum number of keywords of one picture. */
export const maxKeywords = 50;

const textField = (description: string) =>
  z.string().min(1).max(maxValueLength).meta({ language: 'value', description }).optional();

export const Metadata = z
  .strictObject({
    title: textField('Short name of the picture: `dc:title`; IPTC-IIM 2:05.'),
    description: textField(
      'What the picture shows: `dc:description`; Exif `ImageDescription`; IPTC-IIM 2:120.',
    ),
    altText: textField(
      'Text for people who do not see the picture: `Iptc4xmpCore:AltTextAccessibility`. IPTC advises at most 250 characters.',
    ),
    creator: textField('Creator of the picture: `dc:creator`; Exif `Artist`; IPTC-IIM 2:80.'),
    copyright: textField('Copyright notice: `dc:rights`; Exif `Copyright`; IPTC-IIM 2:116.'),
    credit: textField('Credit line: `photoshop:Credit`; IPTC-IIM 2:110.'),
    keywords: z
      .array(z.string().min(1).max(maxValueLength).meta({ language: 'value' }))
      .min(1)
      .max(maxKeywords)
      .optional()
      .describe('Keywords: `dc:subject`; IPTC-IIM 2:25. Empty and repeated keywords are left out.'),
    sku: textField('Identifier of the product: `Iptc4xmpExt:ProductInImage`, `ProductId`.'),
    gtin: textField('GTIN of the product: `Iptc4xmpExt:ProductInImage`, `ProductGTIN`.'),
    digitalSourceType: z
      .enum(digitalSourceTypes)
      .optional()
      .describe(
        'How the picture was made, in IPTC terms: `Iptc4xmpExt:DigitalSourceType`. `digitalCreation` is for pictures that people make with non-generative tools; Google Merchant Center requires `trainedAlgorithmicMedia` for pictures of generative AI.',
      ),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'has no field: set at least one field')
  .describe(
    'Descriptive metadata, written as XMP into pictures and their images, and as Exif and IPTC-IIM where the format supports them; pixels and profiles stay unchanged. Texts may contain CEL in double braces, as in `{{ row.name }}`. Fields that are empty for an asset are left out. PDFs, models and videos are not changed.',
  );
export type MetadataOptions = z.output<typeof Metadata>;

/** True if the strings are the same for all assets and each fits into `maxBytes`. */
function isWithinBytes(texts: string | readonly string[], maxBytes: number): boolean {
  return [texts]
    .flat()
    .every((text) => !text.includes('{{') && Buffer.byteLength(text) <= maxBytes);
}

/** Returns the end of a sentence, or an empty string without metadata. */
export function formatMetadata(metadata: MetadataOptions | undefined): string {
  const fields = [...metadataTexts, 'keywords', 'digitalSourceType'] as const;
  const presentFields = fields.filter((field) => metadata?.[field] !== undefined);
  if (metadata === undefined || presentFields.length === 0) return '';
  const truncations = presentFields.flatMap((field) => {
    const maxBytes = field === 'digitalSourceType' ? undefined : iimLimits[field];
    if (maxBytes === undefined || isWithinBytes(metadata[field] ?? '', maxBytes)) return [];
    return [`${field} after ${maxBytes} bytes`];
  });
  const cutNote =
    truncations.length === 0 ? '' : `; IPTC-IIM ends ${truncations.join(', ')}, XMP has all of it`;
  return `; writes ${presentFields.join(', ')} into each picture${cutNote}`;
}
