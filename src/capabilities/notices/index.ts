import { defineCapability } from '../../machinery/capability.ts';
import { notify } from './notify.ts';

/** Receivers outside are told. */
export const notices = defineCapability({ name: 'notices', nodes: [notify] });
