import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Collection } from './collections/collection';
import { checkDefinitions } from './collections/definition-check';
import { schedulingControllerOf, StreamLimiter } from './scheduling.controller';
import { SchedulingService } from './scheduling.service';

const COLLECTIONS_TOKEN = Symbol('collections');

@Module({ providers: [SchedulingService, StreamLimiter] })
export class SchedulingModule implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(COLLECTIONS_TOKEN) private readonly collections: readonly Collection[],
  ) {}

  static with(collections: readonly Collection[]): DynamicModule {
    return {
      module: SchedulingModule,
      controllers: [schedulingControllerOf(collections)],
      providers: [{ provide: COLLECTIONS_TOKEN, useValue: collections }],
    };
  }

  onModuleInit(): void {
    checkDefinitions(this.collections, this.dataSource.entityMetadatas);
  }
}
