import { Injectable } from '@nestjs/common';
import { Extensions } from '../../platform/extensions/extensions';
import type { Collection } from './collection';
import { COLLECTIONS } from './collections';

/** The values of `api`: the service's collections, then those of extensions. */
@Injectable()
export class ServedCollections {
  readonly list: readonly Collection[];

  constructor({ collections }: Extensions) {
    this.list = [...COLLECTIONS, ...collections];
  }

  find(name: unknown): Collection | undefined {
    return this.list.find((collection) => collection.name === name);
  }
}
