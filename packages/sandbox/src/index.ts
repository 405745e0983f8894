// Entry point of the package: the functions that Renderline's commands load.
import type { SandboxPackage } from 'renderline/sandbox/interface';
import { startSandbox as start } from './server/server.ts';

export const startSandbox: SandboxPackage['startSandbox'] = start;

export const writeCatalog: SandboxPackage['writeCatalog'] = async (dir) => {
  const catalog = await import('./demo/catalog.ts');
  return catalog.writeCatalog(dir);
};

export const createModel: SandboxPackage['createModel'] = async (name, slots) =>
  (await import('./demo/generated-files.ts')).createModel(name, slots);

export const createPicture: SandboxPackage['createPicture'] = async (name) =>
  (await import('./demo/generated-files.ts')).createPicture(name);
