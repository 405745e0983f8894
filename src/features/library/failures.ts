import { defineFailures } from '../../failures/define.ts';

export const libraryFailures = defineFailures('asset', {
  TEXTURE_TYPE: {
    title: 'The platform does not accept the file type of a texture.',
    fix: 'Convert the texture to one of the types in the message, or use `exclude` to leave it out.',
  },
  NOT_A_PICTURE: {
    title: 'A decal or a texture has the extension of a picture but is not a picture.',
    fix: 'Export the picture again and replace the file.',
  },
  LIBRARY_ITEM_NOT_CREATED: {
    title: 'The platform did not create the library item.',
    fix: 'Start the run again. If the platform gave a reason, the message states it; correct the cause first.',
  },
  LIBRARY_ITEM_FAILED: {
    title: 'The platform could not process the prop or material.',
    fix: 'Check the files of the item in a viewer. If the platform gave a reason, the message contains it.',
  },
  LIBRARY_ITEM_NOT_FOUND: {
    title: 'The item is no longer in the library.',
    fix: 'Run again: the files of the item are uploaded again.',
  },
  LIBRARY_TIMEOUT: {
    title: 'The item was not ready within `timeout`.',
    fix: 'Run again to continue waiting; raise `timeout` of `library_import`.',
  },
});
