import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Collections } from './collections/collections';
import { checkDefinitions } from './collections/definition-check';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from './collections/entities';
import { SchedulingController, StreamLimiter } from './scheduling.controller';
import { SchedulingDocument } from './scheduling.openapi';
import { SchedulingService } from './scheduling.service';

@Module({
  imports: [TypeOrmModule.forFeature([Agendamento, Atendente, AtendenteServico, Horario, Servico])],
  controllers: [SchedulingController],
  providers: [Collections, SchedulingDocument, SchedulingService, StreamLimiter],
  exports: [Collections],
})
export class SchedulingModule implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly collections: Collections,
  ) {}

  onModuleInit(): void {
    checkDefinitions(this.collections.list, this.dataSource.entityMetadatas);
  }
}
