import type { ExecutionContext } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';

/** The path of the resource that a controller serves; of several, the first is the one that links name. */
export function resourcePath(context: ExecutionContext): string {
  const paths: string | string[] = Reflect.getMetadata(PATH_METADATA, context.getClass());
  return `/${[paths].flat()[0]}`;
}
