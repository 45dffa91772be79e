import { Module, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { COLLECTIONS } from './collections/collections';
import { checkDefinitions } from './collections/definition-check';
import { StreamLimiter } from './stream-limiter';
import { SchedulingController } from './scheduling.controller';
import { SchedulingPages } from './scheduling-pages';
import { SchedulingReader } from './scheduling-reader';
import { SchedulingService } from './scheduling.service';
import { TextMatches } from './text-matches';

@Module({
  controllers: [SchedulingController],
  providers: [StreamLimiter, SchedulingPages, SchedulingReader, SchedulingService, TextMatches],
})
export class SchedulingModule implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  onModuleInit(): void {
    checkDefinitions(COLLECTIONS, this.dataSource.entityMetadatas);
  }
}
