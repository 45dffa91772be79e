import { Injectable } from '@nestjs/common';
import { Extensions } from '../../platform/extensions/extensions';
import type { Collection } from './collection';
import { type CollectionDto, collectionQuery } from './collection-query.dto';
import { COLLECTIONS } from './collections.dto';

/** The values of `api`: the service's collections, then those of extensions. */
@Injectable()
export class ServedCollections {
  readonly list: readonly Collection[];
  readonly dtos: ReadonlyMap<unknown, CollectionDto>;

  constructor({ collections }: Extensions) {
    const dtos = [...COLLECTIONS, ...collections.map(collectionQuery)];
    this.list = dtos.map(({ collection }) => collection);
    this.dtos = new Map(dtos.map((dto) => [dto.collection.name, dto]));
  }
}
