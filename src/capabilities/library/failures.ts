// Failures of props, decals and materials.
import { defineFailures } from '../../failures/define.ts';

export const libraryFailures = defineFailures('asset', {
  TEXTURE_TYPE: {
    title: 'A texture is of a type that the platform does not take.',
    fix: 'Convert it to the types in the message, or leave it out with `exclude`.',
  },
  NOT_A_PICTURE: {
    title: 'A decal or a texture is named as a picture and is something else.',
    fix: 'Export it again and replace the file.',
  },
  LIBRARY_ITEM_NOT_CREATED: {
    title: 'The platform made no item of the library for it.',
    fix: 'The message has its reason where it gave one; run again.',
  },
  LIBRARY_ITEM_FAILED: {
    title: 'The platform could not process the prop or material.',
    fix: 'Open its files in a viewer; the message has the reason where the platform gave one.',
  },
  LIBRARY_ITEM_NOT_FOUND: {
    title: 'The item is not in the library any more.',
    fix: 'Run again: its files are uploaded anew.',
  },
  LIBRARY_TIMEOUT: {
    title: 'The item was not ready within `timeout`.',
    fix: 'Run again, it is looked at anew; raise `timeout` of `library_import`.',
  },
});
