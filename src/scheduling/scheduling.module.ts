import { Module, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { COLLECTIONS } from './collections/collections';
import { checkDefinitions } from './collections/definition-check';
import { StreamLimiter } from './stream-limiter';
import { SchedulingController } from './scheduling.controller';
import { SchedulingPages } from './scheduling-pages';
import { SchedulingReader } from './scheduling-reader';
import { SchedulingService } from './scheduling.service';
import { SchedulingTexts } from './scheduling-texts';

@Module({
  controllers: [SchedulingController],
  providers: [StreamLimiter, SchedulingPages, SchedulingReader, SchedulingService, SchedulingTexts],
})
export class SchedulingModule implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  async onModuleInit(): Promise<void> {
    try {
      checkDefinitions(COLLECTIONS, this.dataSource.entityMetadatas);
    } catch (error) {
      await this.dataSource.destroy(); // open connections would keep a command running
      throw error;
    }
  }
}
