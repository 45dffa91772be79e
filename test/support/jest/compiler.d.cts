import type { Options } from '@swc/core';

declare const COMPILER: Options;
export = COMPILER;
