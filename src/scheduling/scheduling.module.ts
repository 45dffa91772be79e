import { type DynamicModule, Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Extensions } from '../platform/extensions/extensions';
import { Collections } from './collections/collections';
import { checkDefinitions } from './collections/definition-check';
import { Agendamento, Atendente, AtendenteServico, Horario, Servico } from './collections/entities';
import { schedulingControllerOf, StreamLimiter } from './scheduling.controller';
import { SchedulingService } from './scheduling.service';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([Agendamento, Atendente, AtendenteServico, Horario, Servico])],
  providers: [Collections, SchedulingService, StreamLimiter],
  exports: [Collections],
})
export class SchedulingModule implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly collections: Collections,
  ) {}

  static with(extensions: Extensions): DynamicModule {
    return { module: SchedulingModule, controllers: [schedulingControllerOf(new Collections(extensions).list)] };
  }

  onModuleInit(): void {
    checkDefinitions(this.collections.list, this.dataSource.entityMetadatas);
  }
}
