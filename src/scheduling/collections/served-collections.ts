import { Injectable } from '@nestjs/common';
import { Extensions } from '../../platform/extensions/extensions';
import type { Collection } from './collection';
import { type CollectionDto, collectionQuery } from './collection-query.dto';
import { COLLECTIONS } from './collections';

/** DTOs are created once for all applications of a process: class-validator never releases a class. */
const dtos = new WeakMap<Collection, CollectionDto>();

function dtoOf(collection: Collection): CollectionDto {
  const made = dtos.get(collection) ?? collectionQuery(collection);
  dtos.set(collection, made);
  return made;
}

/** The collections that `api` can name: the service's, then those of extensions. */
@Injectable()
export class ServedCollections {
  readonly list: readonly Collection[];
  readonly dtos: ReadonlyMap<unknown, CollectionDto>;

  constructor({ collections }: Extensions) {
    this.list = [...COLLECTIONS, ...collections];
    this.dtos = new Map(this.list.map((collection) => [collection.name, dtoOf(collection)]));
  }
}
